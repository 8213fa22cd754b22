import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { useAnswer, useChange } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { counted } from '../../components/counted.ts';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { Answer, Empty, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { readLegalHold, releaseLegalHold } from '../../generated/daemon/sdk.gen.ts';
import type { LegalHold, LegalHoldDetails } from '../../generated/daemon/types.gen.ts';
import { scopeOf } from './HoldsScreen.tsx';

/** One hold: what it pins, and what it has refused. */
export default function HoldScreen() {
  const id = decoded(useParams<{ id: string }>().id);
  const query = useAnswer(['holds', 'one', id], () => readLegalHold({ path: { id } }));
  return (
    <Page
      title="Legal hold"
      description={<Link href="/holds">All holds</Link>}
      actions={query.data?.hold.status === 'active' && <Release hold={query.data.hold} />}
    >
      <Answer query={query} rows={8}>
        {(details) => <Hold {...details} />}
      </Answer>
    </Page>
  );
}

function Hold({ hold, pins, refused }: LegalHoldDetails) {
  return (
    <div className="columns">
      <Section title={hold.reason}>
        <Details
          items={[
            [
              'State',
              <Badge key="state" tone={hold.status === 'active' ? 'warn' : 'plain'}>
                {hold.status}
              </Badge>,
            ],
            ['Pins', scopeOf(hold.entity_prefixes)],
            ['Placed', <Time key="placed" at={hold.placed_at} isExact />],
            ['Placed by', hold.placed_by],
            ['Receipt', <ReceiptLink key="receipt" id={hold.place_receipt} />],
            ['Incident', hold.incident_id && <Link href={`/incidents/${hold.incident_id}`}>{hold.incident_id}</Link>],
            ['Released', hold.released_at && <Time at={hold.released_at} isExact />],
            ['Released by', hold.released_by],
            ['Receipt of release', hold.release_receipt && <ReceiptLink id={hold.release_receipt} />],
            ['Id', <Identifier key="id" value={hold.id} />],
          ]}
        />
      </Section>
      <Section title="Pinned now">
        {pins.length === 0 ? (
          <Empty title="Nothing">
            {hold.status === 'active' ? 'What is stored under its prefixes from here on is pinned.' : 'It is released.'}
          </Empty>
        ) : (
          <ul className="plain-list">
            {pins.map(({ table, rows, entities }) => (
              <li key={table} className="number">
                {rows.toLocaleString()} of {table}, {counted(entities, 'entity', 'entities')}
              </li>
            ))}
          </ul>
        )}
        <p>
          {refused.attempts === 0
            ? 'No deletion was refused.'
            : `${counted(refused.attempts, 'deletion was', 'deletions were')} refused, the last `}
          {refused.last_at && <Time at={refused.last_at} />}
        </p>
      </Section>
    </div>
  );
}

function ReceiptLink({ id }: { id: string }) {
  return <Link href={`/receipts/${encodeURIComponent(id)}`}>{id}</Link>;
}

function Release({ hold }: { hold: LegalHold }) {
  const [isAsking, setAsking] = useState(false);
  const release = useChange(() => releaseLegalHold({ path: { id: hold.id } }), ['holds', 'overview', 'receipts']);
  return (
    <>
      <Button right="administer" look="danger" onPress={() => setAsking(true)}>
        Release
      </Button>
      <ConfirmDialog
        title="Release this hold?"
        confirm="Release"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isPending={release.isPending}
        onConfirm={() =>
          release.mutate(undefined, {
            onSuccess: () => {
              setAsking(false);
              announce('The hold is released.');
            },
          })
        }
      >
        <p>
          &ldquo;{hold.reason}&rdquo; pins {scopeOf(hold.entity_prefixes)}. Once released, all of it can be deleted at
          once, but for what another hold pins. A released hold cannot be put back; a new one can be placed.
        </p>
        {release.error && <Failure failure={release.error} />}
      </ConfirmDialog>
    </>
  );
}
