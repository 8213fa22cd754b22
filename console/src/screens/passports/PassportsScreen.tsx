import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useSwitchedOff } from '../../app/config.ts';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { SwitchedOff } from '../../components/SwitchedOff.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { Time } from '../../components/Time.tsx';
import { listPassports, listPresence } from '../../generated/daemon/sdk.gen.ts';
import type { Passport, SeenPassport } from '../../generated/daemon/types.gen.ts';
import { MintRequests } from './MintRequests.tsx';
import { RegisterPassport } from './RegisterPassport.tsx';

const FLAG = 'SVCD_FEATURE_PASSPORT_MINT_REQUESTS';

/** Who acts: people, agents and services, and who wants to. */
export default function PassportsScreen() {
  const { tab = 'registered' } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const [isRegistering, setRegistering] = useState(false);
  const isOff = useSwitchedOff(FLAG) !== undefined;
  return (
    <Page
      title="Passports"
      description="People, agents and services by the name under which they act."
      actions={
        <Button right="write" look="primary" onPress={() => setRegistering(true)}>
          Register a passport
        </Button>
      }
    >
      <h2 className="visually-hidden">Lists</h2>
      <Tabs
        label="Passports"
        selected={tab}
        onSelect={(id) => navigate(`/passports/list/${id}`)}
        tabs={[
          { id: 'registered', title: 'Registered', content: () => <Registered /> },
          { id: 'presence', title: 'Seen lately', content: () => <Presence /> },
          {
            id: 'requests',
            title: 'Requests',
            content: () => (isOff ? <SwitchedOff setting={FLAG} /> : <MintRequests />),
          },
        ]}
      />
      {isRegistering && (
        <RegisterPassport onClose={() => setRegistering(false)} onRegistered={(id) => navigate(addressOf(id))} />
      )}
    </Page>
  );
}

const addressOf = (id: string) => `/passports/${encodeURIComponent(id)}`;
const linkOf = ({ passport_id }: { passport_id: string }) => addressOf(passport_id);
const keyOf = ({ passport_id }: { passport_id: string }) => passport_id;

const REGISTERED: Column<Passport>[] = [
  { name: 'Passport', width: 'minmax(10rem, 1.5fr)', cell: ({ passport_id }) => <code>{passport_id}</code> },
  { name: 'Name', width: 'minmax(8rem, 1.5fr)', cell: ({ display_name }) => display_name },
  { name: 'Kind', width: '6rem', cell: ({ kind }) => kind },
  {
    name: 'State',
    width: '8rem',
    cell: ({ revoked_at, attested }) =>
      revoked_at ? <Badge tone="bad">revoked</Badge> : <Badge tone="good">{attested ? 'attested' : 'active'}</Badge>,
  },
  { name: 'Last seen', width: '8rem', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
];

function Registered() {
  const pages = usePages(['passports', 'list'], (cursor) =>
    listPassports({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <PagedTable
      label="Passports"
      pages={pages}
      rowsOf={({ passports }) => passports}
      columns={REGISTERED}
      rowKey={keyOf}
      linkOf={linkOf}
      empty={
        <Empty title="No passports">
          Until one is registered any name may act; from then on names that projects use have to be registered.
        </Empty>
      }
    />
  );
}

const SEEN: Column<SeenPassport>[] = [
  { name: 'Passport', width: 'minmax(10rem, 2fr)', cell: ({ passport_id }) => <code>{passport_id}</code> },
  {
    name: 'Registered',
    width: '8rem',
    cell: ({ registered }) => <Badge tone={registered ? 'good' : 'warn'}>{registered ? 'yes' : 'no'}</Badge>,
  },
  { name: 'First seen', width: '8rem', cell: ({ first_seen_at }) => <Time at={first_seen_at} /> },
  { name: 'Last seen', width: '8rem', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
];
const DAY_SECONDS = 86_400;

function Presence() {
  const pages = usePages(
    ['presence'],
    (cursor) =>
      listPresence({
        query: { limit: 100, within_seconds: DAY_SECONDS, ...(cursor === undefined ? {} : { cursor }) },
      }),
    { everyMs: 30_000 },
  );
  return (
    <PagedTable
      label="Passports seen within a day"
      pages={pages}
      rowsOf={({ presence }) => presence}
      columns={SEEN}
      rowKey={keyOf}
      empty={<Empty title="Nobody acted within a day">Requests that bear x-svc-passport stand here.</Empty>}
    />
  );
}
