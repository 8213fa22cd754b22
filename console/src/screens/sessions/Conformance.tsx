import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { counted } from '../../components/counted.ts';
import { Notice } from '../../components/Notice.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { checkConformance } from '../../generated/daemon/sdk.gen.ts';
import type { ConformanceReport } from '../../generated/daemon/types.gen.ts';
import { isSwitchedOff } from './step-tree.ts';

/** The session held against rules, its receipts verified. */
export function Conformance({ session }: { session: string }) {
  const report = useAnswer(['sessions', 'conformance', session], () => checkConformance({ path: { id: session } }));
  return (
    <Answer query={report} rows={5}>
      {(found) => (isSwitchedOff(found) ? <p>{found.detail}</p> : <Report {...found} />)}
    </Answer>
  );
}

function Report({ conforms, steps_checked, receipts_checked, rules, findings, truncated, note }: ConformanceReport) {
  return (
    <div className="stack">
      <h2 className="visually-hidden">Result</h2>
      <Notice tone={conforms ? 'good' : 'warn'} title={conforms ? 'Every rule holds' : 'Some rules do not hold'}>
        <p className="number">
          {counted(steps_checked, 'step')} and {counted(receipts_checked, 'receipt')} were checked.
        </p>
        <p>{note}</p>
      </Notice>
      <Section title="Rules">
        <ul className="plain-list">
          {rules.map(({ rule, article, holds, violations }) => (
            <li key={rule} className="row">
              <Badge tone={holds ? 'good' : 'bad'}>{holds ? 'holds' : counted(violations, 'violation')}</Badge>
              <code>{rule}</code> <span className="quiet">{article}</span>
            </li>
          ))}
        </ul>
      </Section>
      {findings.length > 0 && (
        <Section title="Findings">
          <ul className="plain-list">
            {findings.map(({ rule, node_id, detail }) => (
              <li key={`${rule} ${node_id}`}>
                <code>{node_id}</code> {detail} <span className="quiet">({rule})</span>
              </li>
            ))}
          </ul>
          {truncated && <p className="quiet">There are more; the export has all of them.</p>}
        </Section>
      )}
    </div>
  );
}
