import { useIdentity } from '../../client/identity.ts';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { verifyReceipt } from '../../generated/daemon/sdk.gen.ts';

const PARTS = ['record', 'signature', 'chain', 'log'] as const;

const toneOf = (ok: boolean | null) => (ok === null ? 'warn' : ok ? 'good' : 'bad');
const wordOf = (ok: boolean | null) => (ok === null ? 'not checked' : ok ? 'ok' : 'failed');

/** What the daemon says of itself. It is shown to be compared, and counts for nothing. */
export function DaemonsWord({ receiptId }: { receiptId: string }) {
  const { tenant } = useIdentity();
  const report = useAnswer(['receipts', 'report', tenant, receiptId], () =>
    verifyReceipt({ path: { receiptId }, query: { tenant_id: tenant } }),
  );
  return (
    <Section title="The daemon's word">
      <p className="quiet">What the daemon says of the receipt. The verdict above does not use it.</p>
      <Answer query={report}>
        {(said) => (
          <ul className="checks">
            {PARTS.map((part) => (
              <li key={part}>
                <Badge tone={toneOf(said[part].ok)}>{wordOf(said[part].ok)}</Badge>
                <strong>{part}</strong>
                <span className="quiet">{said[part].detail}</span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Section>
  );
}
