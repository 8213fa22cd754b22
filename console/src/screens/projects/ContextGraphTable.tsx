import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { readContextGraph } from '../../generated/daemon/sdk.gen.ts';
import { connectionsOf, type Connection } from './connections.ts';

const COLUMNS: Column<Connection>[] = [
  { name: 'From', width: 'minmax(10rem, 1fr)', cell: ({ from }) => <span title={from.id}>{from.label}</span> },
  { name: 'Kind', width: '6rem', cell: ({ from }) => <Badge>{from.kind}</Badge> },
  { name: 'Connection', width: '10rem', cell: ({ kind }) => kind.replaceAll('_', ' ') },
  { name: 'To', width: 'minmax(10rem, 1fr)', cell: ({ to }) => <span title={to.id}>{to.label}</span> },
  { name: 'Kind of it', width: '6rem', cell: ({ to }) => <Badge>{to.kind}</Badge> },
];

/** What the project is connected with, one connection a row. */
export function ContextGraphTable({ id }: { id: string }) {
  const pages = usePages(['projects', 'context', id], (cursor) =>
    readContextGraph({ path: { id }, query: cursor ? { cursor } : {} }),
  );
  return (
    <Answer query={pages} rows={6}>
      {(answers) => {
        const rows = connectionsOf(answers);
        if (rows.length === 0)
          return (
            <Empty title="Nothing is connected yet">Link a passport, a tenant or a repository to the project.</Empty>
          );
        return (
          <div className="stack">
            <h2 className="visually-hidden">Connections</h2>
            {answers.some(({ truncated }) => truncated) && <Notice title="Not all of it is shown" />}
            <DataTable
              label="Connections"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ from, kind, to }) => `${from.id} ${kind} ${to.id}`}
              loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
              isLoadingMore={pages.isFetchingNextPage}
            />
          </div>
        );
      }}
    </Answer>
  );
}
