import { useCallback, useState } from 'react';
import { useIdentity } from '../../client/identity.ts';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listReceipts } from '../../generated/daemon/sdk.gen.ts';
import type { ReceiptPage, ReceiptRow } from '../../generated/daemon/types.gen.ts';
import { provesNobody, receiptAddress } from './about.ts';
import './receipts.css';

const PAGE = 100;
const ANY = 'any';
const NONE = { kind: ANY, principal: '', session: '', subject: '' };
type Filters = typeof NONE;

const COLUMNS: Column<ReceiptRow>[] = [
  { name: 'When', width: '8rem', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { name: 'Kind', width: 'minmax(10rem, 1fr)', cell: ({ kind }) => <code>{kind}</code> },
  { name: 'By', width: 'minmax(12rem, 1.5fr)', cell: ({ principal }) => principal },
  { name: 'About', width: 'minmax(12rem, 1.5fr)', cell: ({ subject }) => subject ?? <span className="quiet">–</span> },
  {
    name: 'Place',
    width: 'minmax(9rem, 1fr)',
    cell: ({ stream, seq }) => (stream ? `${stream} ${seq}` : <span className="quiet">unsigned</span>),
  },
  {
    name: 'Signed in by',
    width: '9rem',
    cell: ({ auth_mode }) => auth_mode && <Badge tone={provesNobody(auth_mode) ? 'warn' : 'plain'}>{auth_mode}</Badge>,
  },
];

/** Every change leaves one: who did what, when. */
export default function ReceiptsScreen() {
  const { tenant } = useIdentity();
  const [filters, setFilters] = useState<Filters>(NONE);
  const { kind, principal, session, subject } = filters;
  const query = {
    ...{ tenant_id: tenant, limit: PAGE },
    ...(kind !== ANY && { kind }),
    ...(principal && { principal }),
    ...(session && { session }),
  };
  const pages = usePages<ReceiptPage>(
    ['receipts', query, subject !== ''],
    (before) => listReceipts({ query: { ...query, ...(before && { before }) } }),
    // The server does not look for a subject: what is looked through here is kept whole.
    subject ? {} : { rowsIn: ({ rows }) => rows.length },
  );
  const rowsOf = useCallback(
    ({ rows }: ReceiptPage) => (subject ? rows.filter((row) => row.subject?.includes(subject)) : rows),
    [subject],
  );
  return (
    <Page title="Receipts" description="Every change leaves a signed receipt. Open one to verify it in this browser.">
      <h2 className="visually-hidden">List</h2>
      <FilterForm filters={filters} kinds={pages.data?.[0]?.kind_counts ?? {}} change={setFilters} />
      <PagedTable
        pages={pages}
        rowsOf={rowsOf}
        totalOf={({ matched }) => (subject ? undefined : matched)}
        label="Receipts"
        columns={COLUMNS}
        rowKey={({ receipt_id }) => receipt_id}
        linkOf={({ receipt_id }) => receiptAddress(receipt_id)}
        empty={
          <Nothing
            isFiltered={filters !== NONE}
            goOn={subject && pages.hasNextPage ? pages.fetchNextPage : undefined}
          />
        }
      />
    </Page>
  );
}

function Nothing({ isFiltered, goOn }: { isFiltered: boolean; goOn: (() => unknown) | undefined }) {
  if (!isFiltered)
    return <Empty title="No receipts yet">Store a fact or bring in a document, and its receipt stands here.</Empty>;
  return (
    <Empty title="Nothing fits" action={goOn && <Button onPress={() => void goOn()}>Look through older ones</Button>}>
      No receipt has all of this. By and Session take the whole text.
    </Empty>
  );
}

function FilterForm({
  filters,
  kinds,
  change,
}: {
  filters: Filters;
  kinds: Record<string, unknown>;
  change: (filters: Filters) => void;
}) {
  const names = [...new Set([...Object.keys(kinds), ...(filters.kind === ANY ? [] : [filters.kind])])].sort();
  const set = (part: Partial<Filters>) => change({ ...filters, ...part });
  const text = (name: 'principal' | 'session' | 'subject', label: string) => (
    <TextField label={label} type="search" value={filters[name]} onChange={(value) => set({ [name]: value.trim() })} />
  );
  return (
    <form className="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Kind"
        value={filters.kind}
        onChange={(kind) => set({ kind })}
        choices={[
          { value: ANY, label: 'Any kind' },
          ...names.map((name) => ({ value: name, label: name in kinds ? `${name} (${String(kinds[name])})` : name })),
        ]}
      />
      {text('principal', 'By (whole principal)')}
      {text('session', 'Session (whole id)')}
      {text('subject', 'About contains (of those loaded)')}
      <Button look="quiet" onPress={() => change(NONE)} isDisabled={filters === NONE}>
        Clear
      </Button>
    </form>
  );
}
