import { Badge } from '../../components/Badge.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Section } from '../../components/Page.tsx';
import type { PinnedKey } from '../../verify/keys.ts';
import type { Check, CheckName, Verdict } from '../../verify/verify.ts';

const NAMES: Record<CheckName, string> = {
  record: 'Form of the record',
  id: 'Id',
  signature: 'Signature',
  key: 'Key',
  previous: 'Chain: previous',
  next: 'Chain: next',
  inclusion: 'Inclusion in the log',
  checkpoint: 'Checkpoint',
};

const TONES = { ok: 'good', failed: 'bad', 'not-checked': 'warn' } as const;
const WORDS = { ok: 'ok', failed: 'failed', 'not-checked': 'not checked' } as const;

const TITLES: Record<Verdict['state'], string> = {
  verified: 'Verified in this browser',
  failed: 'This receipt does not hold',
  partial: 'Nothing failed, but not all was checked',
};

const named = (checks: readonly Check[], state: Check['state']) =>
  checks
    .filter((check) => check.state === state)
    .map(({ name }) => NAMES[name])
    .join(', ');

function summaryOf({ state, checks }: Verdict): string {
  if (state === 'failed') return `Failed: ${named(checks, 'failed')}.`;
  if (state === 'partial') return `Not checked: ${named(checks, 'not-checked')}.`;
  return 'It is as it was signed, in its place in the chain and in the log.';
}

/** What the browser found by itself, check by check. */
export function VerdictSection({ verdict, pinned }: { verdict: Verdict; pinned: PinnedKey | undefined }) {
  const tone = { verified: 'good', failed: 'bad', partial: 'warn' } as const;
  return (
    <Section title="Verification">
      <Notice tone={tone[verdict.state]} title={TITLES[verdict.state]}>
        <p>{summaryOf(verdict)}</p>
        <p className="quiet">
          {pinned
            ? `Trust begins at the key that you pinned, ${pinned.kid}. Keys that the daemon serves were not used.`
            : 'Trust begins at the keys that the daemon serves. To trust no answer of it, pin its first key below.'}
        </p>
      </Notice>
      <ul className="checks">
        {verdict.checks.map(({ name, state, detail }) => (
          <li key={name} data-check={name} data-state={state}>
            <Badge tone={TONES[state]}>{WORDS[state]}</Badge>
            <strong>{NAMES[name]}</strong>
            <span className="quiet">{detail}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
