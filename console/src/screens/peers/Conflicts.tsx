import { useState } from 'react';
import { useIdentity } from '../../client/identity.ts';
import { useChange, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty, Failure } from '../../components/states.tsx';
import { announce } from '../../components/toasts.tsx';
import { listSyncConflicts, resolveSyncConflict } from '../../generated/daemon/sdk.gen.ts';
import type { SyncConflict, SyncRecord } from '../../generated/daemon/types.gen.ts';

const nameOf = ({ id }: SyncConflict): string => id.join(' ');

const COLUMNS: Column<SyncConflict>[] = [
  { name: 'Collection', width: '8rem', cell: ({ collection }) => collection },
  { name: 'Record', width: 'minmax(12rem, 2fr)', cell: (conflict) => <code>{nameOf(conflict)}</code> },
  { name: 'Versions', width: '6rem', isNumber: true, cell: ({ versions }) => versions.length },
];

/** Records of which versions do not know of each other. Reads show one; who chooses ends that everywhere. */
export function Conflicts() {
  const { tenant } = useIdentity();
  const [opened, setOpened] = useState<SyncConflict>();
  const pages = usePages(['sync', 'conflicts', tenant], (cursor) =>
    listSyncConflicts({
      path: { tenantId: tenant },
      query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  return (
    <>
      <PagedTable
        label="Conflicts"
        pages={pages}
        rowsOf={({ conflicts }) => conflicts}
        columns={COLUMNS}
        rowKey={({ conflict_id }) => conflict_id}
        onOpen={setOpened}
        empty={<Empty title="No conflicts">What two daemons wrote without knowing of each other stands here.</Empty>}
      />
      {opened && <Choose key={opened.conflict_id} conflict={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Choose({ conflict, onClose }: { conflict: SyncConflict; onClose: () => void }) {
  const { tenant } = useIdentity();
  const resolve = useChange(
    (digest: string) =>
      resolveSyncConflict({ path: { tenantId: tenant, conflictId: conflict.conflict_id }, body: { digest } }),
    ['sync', 'facts', 'entities', 'edges', 'cases', 'overview', 'receipts'],
  );
  const choose = (digest: string) =>
    resolve.mutate(digest, {
      onSuccess: () => {
        onClose();
        announce(`The version of ${nameOf(conflict)} is chosen; peers take it with the next sync.`);
      },
    });
  return (
    <Dialog title={`Choose a version of ${nameOf(conflict)}`} isOpen onClose={onClose} isWide>
      <div className="stack">
        <p>The chosen version becomes a write of this daemon that goes beyond all others, here and at every peer.</p>
        {conflict.versions.map((version) => (
          <Version
            key={version.digest}
            version={version}
            isShown={version.digest === conflict.shown}
            isPending={resolve.isPending}
            onChoose={() => choose(version.digest)}
          />
        ))}
        {resolve.error && <Failure failure={resolve.error} />}
        <div className="row end">
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Version({
  version: { origin, deleted, content },
  isShown,
  isPending,
  onChoose,
}: {
  version: SyncRecord;
  isShown: boolean;
  isPending: boolean;
  onChoose: () => void;
}) {
  return (
    <section className="card" aria-label={`Version of ${origin.writer}`}>
      <div className="row">
        <span>
          Written at <code>{origin.writer}</code>
        </span>
        {isShown && <Badge>shown now</Badge>}
        <Button right="administer" onPress={onChoose} isPending={isPending}>
          Choose this
        </Button>
      </div>
      {deleted ? <p>It deletes the record.</p> : <pre tabIndex={0}>{JSON.stringify(content, null, 2)}</pre>}
    </section>
  );
}
