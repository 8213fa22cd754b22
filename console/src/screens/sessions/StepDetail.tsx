import { Link } from 'wouter';
import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Json } from '../../components/Json.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Section } from '../../components/Page.tsx';
import { Time } from '../../components/Time.tsx';
import type { AuditStep, TraceItemView } from '../../generated/daemon/types.gen.ts';
import { tookOf } from './step-tree.ts';
import { RiskBadge, StatusBadge } from './StepTable.tsx';

/** All that is known of a step, with the receipts that bind it. */
export function StepDetail({ step }: { step: AuditStep }) {
  return (
    <Section title={step.withheld ? 'A step that is withheld' : step.label || 'A step without a label'}>
      {step.withheld && (
        <Notice title="What is in it is private">
          Its opener and admin scopes see it; its times and receipts stay.
        </Notice>
      )}
      <p className="row">
        <StatusBadge {...step} />
        <span>
          risk <RiskBadge {...step} />
        </span>
        {step.auto && <Badge>made by the server</Badge>}
        {step.private && <Badge>private</Badge>}
      </p>
      <Details
        items={[
          ['Step', <Identifier key="id" value={step.node_id} />],
          ['Part of', step.parent_id && <Identifier key="parent" value={step.parent_id} />],
          ['Kind', step.kind],
          ['Actor', step.actor],
          ['Began', <Time key="began" at={step.ts_start} isExact />],
          ['Ended', step.ts_end && <Time key="ended" at={step.ts_end} isExact />],
          ['Took', tookOf(step)],
          ['More about it', step.enrich_ref],
          ['Reasoning', step.reasoning_ref],
        ]}
      />
      <Items title="Went in" items={step.inputs} />
      <Items title="Came out" items={step.outputs} />
      <StepReceipts step={step} />
      <Json value={step} />
    </Section>
  );
}

function Items({ title, items }: { title: string; items: readonly TraceItemView[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="plain-list">
        {items.map(({ kind, ref, digest, text, bytes }, index) => (
          <li key={index}>
            <Badge>{kind}</Badge> {ref && <code>{ref}</code>}{' '}
            {bytes !== null && <span className="quiet number">{bytes.toLocaleString()} bytes</span>}
            {text && <p className="step-text">{text}</p>}
            {digest && <Identifier value={digest} isShort />}
          </li>
        ))}
      </ul>
    </>
  );
}

function StepReceipts({ step }: { step: AuditStep }) {
  const receipts = [
    ['of its opening', step.open_receipt],
    ['of its close', step.close_receipt],
    ['of what it did', step.receipt_id],
    ['of what it changed', step.mutation_receipt_id],
  ].filter((one): one is [string, string] => one[1] !== null);
  return (
    <>
      <h3>Receipts</h3>
      {receipts.length === 0 ? (
        <p className="quiet">None: the server made this step of what the session did.</p>
      ) : (
        <ul className="plain-list">
          {receipts.map(([what, id]) => (
            <li key={what}>
              <Link href={`/receipts/${encodeURIComponent(id)}`}>Receipt {what}</Link> <Identifier value={id} isShort />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
