import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { WithRight } from '../../components/WithRight.tsx';
import { listActiveIntents, listPunchcards } from '../../generated/daemon/sdk.gen.ts';
import type { ActiveIntents, Punchcard } from '../../generated/daemon/types.gen.ts';
import { ForceReleaseDialog } from './ForceReleaseDialog.tsx';

type Status = Punchcard['status'];
type ActiveIntent = ActiveIntents['intents'][number];

const PAGE = 100;
const TONES = { held: 'warn', released: 'good', forced: 'bad', expired: 'plain' } as const;
const CHOICES = [
  { value: 'held', label: 'Held now' },
  { value: 'released', label: 'Released' },
  { value: 'forced', label: 'Forced' },
  { value: 'expired', label: 'Expired' },
];

/** Who holds which path, and what agents are about to do. */
export default function LeasesScreen() {
  return (
    <Page title="Leases" description="Who holds which path, and what sessions are about to do.">
      <Punchcards />
      <WithRight right="oversee" what="Announced intents">
        <Intents />
      </WithRight>
    </Page>
  );
}

function Punchcards() {
  const [status, setStatus] = useState<Status>('held');
  const [forced, setForced] = useState<Punchcard>();
  const pages = usePages(['punchcards', status], (cursor) =>
    listPunchcards({ query: { status, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <Section title="Punchcards">
      <SelectField label="State" value={status} onChange={(next) => setStatus(next as Status)} choices={CHOICES} />
      <Answer query={pages} rows={4}>
        {(read) => {
          const rows = read.flatMap(({ punchcards }) => punchcards);
          if (rows.length === 0)
            return (
              <Empty title={status === 'held' ? 'Nobody holds anything' : 'There are none'}>
                An agent acquires a path by POST /v1/punchcards/acquire before it changes what is there.
              </Empty>
            );
          return (
            <DataTable
              label="Punchcards"
              columns={columnsOf(setForced)}
              rows={rows}
              rowKey={({ id }) => id}
              loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
              isLoadingMore={pages.isFetchingNextPage}
              height="28rem"
            />
          );
        }}
      </Answer>
      {forced && <ForceReleaseDialog punchcard={forced} onClose={() => setForced(undefined)} />}
    </Section>
  );
}

const columnsOf = (force: (punchcard: Punchcard) => void): Column<Punchcard>[] => [
  { name: 'State', width: '6rem', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { name: 'Resource', width: 'minmax(14rem, 3fr)', cell: ({ resource }) => <code title={resource}>{resource}</code> },
  { name: 'Mode', width: '4rem', cell: ({ mode }) => mode },
  { name: 'Holder', width: 'minmax(8rem, 1fr)', cell: ({ holder_passport }) => holder_passport },
  { name: 'Why', width: 'minmax(8rem, 1fr)', cell: ({ reason }) => reason },
  {
    name: 'Ends',
    width: '8rem',
    cell: ({ ended_at_unix_ms, expires_at_unix_ms }) => <Time at={ended_at_unix_ms ?? expires_at_unix_ms} />,
  },
  {
    name: 'Force',
    width: '8rem',
    cell: (punchcard) =>
      punchcard.status === 'held' && (
        <Button
          right="write"
          look="danger"
          onPress={() => force(punchcard)}
          aria-label={`Force release of ${punchcard.resource}`}
        >
          Release
        </Button>
      ),
  },
];

const INTENTS: Column<ActiveIntent>[] = [
  { name: 'Session', width: 'minmax(9rem, 1fr)', cell: ({ session_id }) => <code>{session_id}</code> },
  { name: 'Project', width: 'minmax(8rem, 1fr)', cell: ({ project_id }) => project_id },
  { name: 'Paths', width: 'minmax(14rem, 3fr)', cell: ({ paths }) => <code>{paths.join(', ')}</code> },
  { name: 'Note', width: 'minmax(8rem, 2fr)', cell: ({ note }) => note },
  { name: 'By', width: '8rem', cell: ({ by_passport }) => by_passport },
  { name: 'Ends', width: '8rem', cell: ({ expires_at }) => <Time at={expires_at} /> },
];

function Intents() {
  const pages = usePages(['intents'], (cursor) =>
    listActiveIntents({ query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <Section title="Announced intents">
      <Answer query={pages} rows={3}>
        {(read) => {
          const rows = read.flatMap(({ intents }) => intents);
          if (rows.length === 0)
            return (
              <Empty title="Nothing is announced">
                A session says what it is about to do by POST /v1/coord/announce; others see whether they would meet.
              </Empty>
            );
          return (
            <DataTable
              label="Intents"
              columns={INTENTS}
              rows={rows}
              rowKey={({ intent_id }) => intent_id}
              loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
              isLoadingMore={pages.isFetchingNextPage}
              height="20rem"
            />
          );
        }}
      </Answer>
    </Section>
  );
}
