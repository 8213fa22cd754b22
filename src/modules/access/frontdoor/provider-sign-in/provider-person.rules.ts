import type { GroupRole } from '../../../../common/config/people-settings.js';
import { strongestRole } from '../../../../common/config/strongest-role.rules.js';
import { inLowerCase } from '../../../../common/fields/lower-case.js';

/** Who signed in at the identity provider, as far as a seat is concerned. */
export interface ProviderPerson {
  /** In lower case. */
  email: string;
  /** What the groups give; undefined where none of them gives anything. */
  role: GroupRole | undefined;
}

/**
 * Whom the claims of a provider are about (OpenID Connect Core 1.0, 5.1).
 * @param claims of the ID token, or of UserInfo
 * @returns undefined without an e-mail address that the provider has verified
 */
export function personOf(
  claims: Readonly<Record<string, unknown>>,
  { groupsClaim, groupRoles }: { groupsClaim: string; groupRoles: readonly (readonly [string, GroupRole])[] },
): ProviderPerson | undefined {
  const { email, email_verified } = claims;
  if (typeof email !== 'string' || email === '' || email_verified !== true) return undefined;
  const groups = claims[groupsClaim];
  return { email: inLowerCase(email), role: strongestRole(Array.isArray(groups) ? groups : [], groupRoles) };
}
