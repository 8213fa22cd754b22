import { useState } from 'react';
import { useChange, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { Section } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { readBlastRadius, walkBlastRadius } from '../../generated/daemon/sdk.gen.ts';
import type { BlastRadius as Walk, IncidentCase, RadiusNode } from '../../generated/daemon/types.gen.ts';
import { WalkDialog, type RootKind } from './WalkDialog.tsx';

/** What rests on a bad source, and the quarantine of that. Nothing is asked of an incident without a walk. */
export function BlastRadius({ incident, radiusId }: { incident: IncidentCase; radiusId: string | null }) {
  const [isAsking, setAsking] = useState(false);
  const isClosed = incident.status === 'closed';
  const walk = (
    <Button right="write" onPress={() => setAsking(true)} isDisabled={isClosed}>
      {radiusId ? 'Walk from something else' : 'Find what rests on something'}
    </Button>
  );
  return (
    <Section title="What rests on it" actions={walk}>
      {radiusId ? (
        <Found key={radiusId} id={incident.incident_id} radiusId={radiusId} isClosed={isClosed} />
      ) : (
        <Empty title="Not walked yet">
          A walk goes from a bad document, fact, receipt, answer or case to all that rests on it, and keeps what it
          found.
        </Empty>
      )}
      {isAsking && <WalkDialog id={incident.incident_id} onClose={() => setAsking(false)} />}
    </Section>
  );
}

const NODES: Column<RadiusNode>[] = [
  { name: 'Kind', width: '7rem', cell: ({ kind }) => kind },
  { name: 'Id', width: 'minmax(12rem, 2fr)', cell: ({ id }) => <code title={id}>{id}</code> },
  { name: 'Steps away', width: '7rem', isNumber: true, cell: ({ depth }) => depth ?? 'part' },
  {
    name: 'Set aside',
    width: '7rem',
    cell: ({ set_aside }) => (set_aside ? <Badge tone="warn">yes</Badge> : 'no'),
  },
];

function Found({ id, radiusId, isClosed }: { id: string; radiusId: string; isClosed: boolean }) {
  const pages = usePages(['incidents', 'radius', id, radiusId], (cursor) =>
    readBlastRadius({
      path: { id },
      query: { radius_id: radiusId, limit: 200, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  const walk = pages.data?.[0]?.radius;
  return (
    <>
      {walk && <About walk={walk} isClosed={isClosed} />}
      <PagedTable
        label="What rests on it"
        pages={pages}
        rowsOf={({ nodes }) => nodes}
        columns={NODES}
        rowKey={({ kind, id: node }) => `${kind} ${node}`}
        height="24rem"
        empty={<Empty title="Nothing rests on it" />}
      />
    </>
  );
}

function About({ walk, isClosed }: { walk: Walk; isClosed: boolean }) {
  const isAside = walk.applied_at !== null && walk.undone_at === null;
  return (
    <>
      <Details
        items={[
          ['Begins at', `${walk.root.kind} ${walk.root.id}`],
          ['Reached', `${walk.node_count} things by ${walk.edge_count} edges`],
          ['Walked by', walk.walked_by],
          ['Walked', <Time key="walked" at={walk.walked_at} isExact />],
          ['Set aside', walk.applied_at && <Time at={walk.applied_at} isExact />],
          ['Brought back', walk.undone_at && <Time at={walk.undone_at} isExact />],
        ]}
      />
      {!isClosed && (
        <div className="row">
          <Quarantine walk={walk} isAside={isAside} />
        </div>
      )}
    </>
  );
}

/** Sets aside what was found, or brings it back. */
function Quarantine({ walk, isAside }: { walk: Walk; isAside: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const change = useChange(() => {
    const body = isAside
      ? { undo: true, radius_id: walk.radius_id }
      : { apply: true, kind: walk.root.kind as RootKind, id: walk.root.id };
    return walkBlastRadius({ path: { id: walk.incident_id }, body });
  }, QUARANTINED);
  const confirm = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        announce(isAside ? 'It is found again.' : 'It is set aside: no search, list or proof finds it.');
      },
    });
  return (
    <>
      <Button right="write" look={isAside ? 'plain' : 'danger'} onPress={() => setAsking(true)}>
        {isAside ? 'Bring it back' : 'Set it aside'}
      </Button>
      <ConfirmDialog
        title={isAside ? 'Bring back what was set aside?' : 'Set aside what rests on it?'}
        confirm={isAside ? 'Bring it back' : 'Set it aside'}
        look={isAside ? 'primary' : 'danger'}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
        isPending={change.isPending}
      >
        <p>
          {isAside
            ? 'Documents, facts and cases are found again, but for what another walk has set aside as well.'
            : 'It is walked once more, and its documents, facts and cases are set aside, all or nothing: no search, ' +
              'list or proof finds them, until they are brought back.'}
        </p>
        {change.error && <Failure failure={change.error} />}
      </ConfirmDialog>
    </>
  );
}

const QUARANTINED = ['incidents', 'facts', 'documents', 'cases', 'census', 'overview', 'receipts'];
