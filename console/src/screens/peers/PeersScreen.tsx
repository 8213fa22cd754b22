import { useState } from 'react';
import { useAnswer, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { counted } from '../../components/counted.ts';
import type { Column } from '../../components/DataTable.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { listPeers, readConsoleSummary } from '../../generated/daemon/sdk.gen.ts';
import type { Peer } from '../../generated/daemon/types.gen.ts';
import { AddPeer } from './AddPeer.tsx';
import { Conflicts } from './Conflicts.tsx';
import { PeerDialog } from './PeerDialog.tsx';

/** Daemons that synchronise the memory of the tenant, and what they disagree about. */
export default function PeersScreen() {
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button right="administer" look="primary" onPress={() => setAdding(true)}>
      Add a peer
    </Button>
  );
  return (
    <Page title="Peers" description="Daemons that synchronise the memory of the tenant." actions={add}>
      <Section title="State">
        <SyncState />
      </Section>
      <Section title="Peers">
        <Peers />
      </Section>
      <Section title="Conflicts">
        <Conflicts />
      </Section>
      {isAdding && <AddPeer onClose={() => setAdding(false)} />}
    </Page>
  );
}

function SyncState() {
  const summary = useAnswer(['overview'], () => readConsoleSummary());
  return (
    <Answer query={summary} rows={1}>
      {({ sync }) => (
        <p className="number">
          {counted(sync.peers, 'peer')}, {counted(sync.conflicts, 'conflict')},{' '}
          {counted(sync.held, 'record that waits', 'records that wait')} for something else to come first.
        </p>
      )}
    </Answer>
  );
}

const COLUMNS: Column<Peer>[] = [
  { name: 'Peer', width: 'minmax(8rem, 1fr)', cell: ({ peer_id }) => <code>{peer_id}</code> },
  { name: 'Direction', width: '6rem', cell: ({ direction }) => direction },
  {
    name: 'State',
    width: '6rem',
    cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
  },
  { name: 'Entities', width: 'minmax(9rem, 1fr)', cell: ({ entity_prefixes }) => entity_prefixes.join(', ') },
  {
    name: 'Last cosigned head',
    width: 'minmax(10rem, 1fr)',
    cell: ({ last_cosigned_head }) => last_cosigned_head ?? 'none',
  },
];

function Peers() {
  const [opened, setOpened] = useState<Peer>();
  const pages = usePages(['peers'], (cursor) =>
    listPeers({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <>
      <PagedTable
        label="Peers"
        pages={pages}
        rowsOf={({ peers }) => peers}
        columns={COLUMNS}
        rowKey={({ peer_id }) => peer_id}
        onOpen={setOpened}
        empty={<Empty title="No peers">Each is known by its key; the other side adds this daemon likewise.</Empty>}
      />
      {opened && <PeerDialog key={opened.peer_id} peer={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
