import { useState } from 'react';
import { useLocation } from 'wouter';
import { useIdentity } from '../../client/identity.ts';
import { usePages } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listReceipts } from '../../generated/daemon/sdk.gen.ts';
import type { ReceiptPage, ReceiptRow } from '../../generated/daemon/types.gen.ts';
import '../receipts/receipts.css';

const PAGE = 100;
const answerAddress = (answerId: string): string => `/answers/${encodeURIComponent(answerId)}`;

const COLUMNS: Column<ReceiptRow>[] = [
  { name: 'Answer', width: 'minmax(14rem, 2fr)', cell: ({ subject }) => subject },
  { name: 'Recorded', width: '9rem', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { name: 'By', width: 'minmax(12rem, 1.5fr)', cell: ({ principal }) => principal },
  { name: 'Receipt', width: 'minmax(8rem, 1fr)', cell: ({ receipt_id }) => <code>{receipt_id.slice(0, 13)}…</code> },
];

/** Answers that were recorded with their citations: each recording left a receipt, which is how they are found. */
export default function AnswersScreen() {
  const { tenant } = useIdentity();
  const query = { tenant_id: tenant, limit: PAGE, kind: 'answer.recorded' };
  const pages = usePages<ReceiptPage>(['answers', query], (before) =>
    listReceipts({ query: { ...query, ...(before && { before }) } }),
  );
  return (
    <Page title="Answers" description="Recorded answers with what they cite. Open one to see whether it still holds.">
      <OpenById />
      <h2 className="visually-hidden">List</h2>
      <Answer query={pages} rows={8}>
        {(read) => {
          const rows = newestOf(read.flatMap((page) => page.rows));
          if (rows.length === 0)
            return (
              <Empty title="No answers yet">
                Agents record one by <code>POST /v1/citations</code> of the tenant API, with the passages that it cites.
              </Empty>
            );
          return (
            <DataTable
              label="Answers"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ receipt_id }) => receipt_id}
              linkOf={({ subject }) => answerAddress(subject ?? '')}
              loadMore={pages.hasNextPage ? () => void pages.fetchNextPage() : undefined}
              isLoadingMore={pages.isFetchingNextPage}
            />
          );
        }}
      </Answer>
    </Page>
  );
}

/** One row for each answer: that of its newest version. */
function newestOf(rows: readonly ReceiptRow[]): ReceiptRow[] {
  const seen = new Set<string | null>();
  return rows.filter(({ subject }) => !seen.has(subject) && seen.add(subject));
}

function OpenById() {
  const [id, setId] = useState('');
  const [, navigate] = useLocation();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim()) navigate(answerAddress(id.trim()));
      }}
    >
      <TextField label="Id of an answer" value={id} onChange={setId} />
      <Button type="submit" isDisabled={!id.trim()}>
        Open
      </Button>
    </form>
  );
}
