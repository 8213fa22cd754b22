import { Link } from 'wouter';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listGithubItems } from '../../generated/daemon/sdk.gen.ts';
import type { GithubItem } from '../../generated/daemon/types.gen.ts';

const COLUMNS: Column<GithubItem>[] = [
  { name: 'Of', width: 'minmax(9rem, 1fr)', cell: ({ repository, number }) => `${repository}#${number}` },
  { name: 'Title', width: 'minmax(12rem, 2fr)', cell: ({ title }) => <span title={title}>{title}</span> },
  { name: 'State', width: '7rem', cell: ({ state }) => <Badge>{state}</Badge> },
  {
    name: 'Work',
    width: 'minmax(8rem, 1fr)',
    cell: ({ work_ids }) =>
      work_ids.map((id) => (
        <Link key={id} href={`/work/${encodeURIComponent(id)}`}>
          {id}
        </Link>
      )),
  },
  { name: 'Changed', width: '8rem', cell: ({ changed_at }) => <Time at={changed_at} /> },
];

/** As webhooks reported them last. */
export function GithubItems() {
  const pages = usePages(['integrations', 'items'], (cursor) =>
    listGithubItems({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <PagedTable
      label="Issues and pull requests"
      pages={pages}
      rowsOf={({ items }) => items}
      columns={COLUMNS}
      rowKey={({ repository, number }) => `${repository}#${number}`}
      height="24rem"
      empty={<Empty title="None reported yet">Webhooks of a connected account report them.</Empty>}
    />
  );
}
