import { usePages } from '../../client/queries.ts';
import type { Column } from '../../components/DataTable.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listReceipts } from '../../generated/daemon/sdk.gen.ts';
import type { ReceiptPage, ReceiptRow } from '../../generated/daemon/types.gen.ts';

const COLUMNS: Column<ReceiptRow>[] = [
  { name: 'Kind', width: 'minmax(9rem, 1fr)', cell: ({ kind }) => <code>{kind}</code> },
  { name: 'Subject', width: 'minmax(9rem, 2fr)', cell: ({ subject }) => <span title={subject ?? ''}>{subject}</span> },
  { name: 'Principal', width: 'minmax(8rem, 1fr)', cell: ({ principal }) => principal },
  { name: 'When', width: '9rem', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
];

const rowsOf = ({ rows }: ReceiptPage) => rows;

/** Every receipt that names the session: of its steps, and of what it did elsewhere. */
export function SessionReceipts({ session }: { session: string }) {
  const pages = usePages(
    ['receipts', 'session', session],
    (before) => listReceipts({ query: { session, limit: 100, ...(before ? { before } : {}) } }),
    { rowsIn: ({ rows }) => rows.length },
  );
  return (
    <PagedTable
      pages={pages}
      rowsOf={rowsOf}
      totalOf={({ matched }) => matched}
      label="Receipts of the session"
      columns={COLUMNS}
      rowKey={({ receipt_id }) => receipt_id}
      linkOf={({ receipt_id }) => `/receipts/${encodeURIComponent(receipt_id)}`}
      empty={<Empty title="No receipt names this session" />}
    />
  );
}
