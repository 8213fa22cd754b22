import type { ScreenedSecret, SecretScreen } from '../../../common/screening/secret-screen.js';
import type { EngramPayload } from './engram-payload.rules.js';

/** The members that are free texts. */
const TEXTS = ['content', 'description', 'intent_bucket', 'query_pattern', 'inherited_reason'] as const;
type TextMember = (typeof TEXTS)[number];

/** The texts of an engram that had secrets, with these masked, and where they stood. */
export async function maskedTexts(
  screen: SecretScreen,
  payload: Pick<EngramPayload, TextMember>,
): Promise<{ texts: Partial<Record<TextMember, string>>; screened: ({ member: string } & ScreenedSecret)[] }> {
  const texts: Partial<Record<TextMember, string>> = {};
  const screened: ({ member: string } & ScreenedSecret)[] = [];
  for (const member of TEXTS) {
    const { text, screened: found } = await screen.mask(payload[member] ?? '');
    if (found.length > 0) texts[member] = text;
    screened.push(...found.map((secret) => ({ member, ...secret })));
  }
  return { texts, screened };
}
