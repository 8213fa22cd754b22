import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { CheckboxField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listProjects } from '../../generated/daemon/sdk.gen.ts';
import type { ProjectSummary } from '../../generated/daemon/types.gen.ts';

const COLUMNS: Column<ProjectSummary>[] = [
  { name: 'Project', width: 'minmax(10rem, 1fr)', cell: ({ id }) => <code>{id}</code> },
  { name: 'Name', width: 'minmax(10rem, 2fr)', cell: ({ name }) => name },
  {
    name: 'State',
    width: '7rem',
    cell: ({ archived, is_default }) =>
      archived ? <Badge>archived</Badge> : <Badge tone="good">{is_default ? 'default' : 'active'}</Badge>,
  },
  { name: 'Acts as', width: 'minmax(8rem, 1fr)', cell: ({ default_passport_id }) => default_passport_id },
  { name: 'Version', width: '5rem', isNumber: true, cell: ({ version }) => version },
  { name: 'Changed', width: '8rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
];

/** What passports, tenants and repositories are gathered under. */
export default function ProjectsScreen() {
  const [isArchived, setArchived] = useState(false);
  const pages = usePages(['projects', 'list', isArchived], (cursor) =>
    listProjects({ query: { limit: 100, ...(isArchived ? { archived: true } : {}), ...(cursor ? { cursor } : {}) } }),
  );
  return (
    <Page title="Projects" description="What passports, tenants, repositories and layers are gathered under.">
      <CheckboxField label="Archived" isSelected={isArchived} onChange={setArchived} />
      <Answer query={pages} rows={5}>
        {(answers) => {
          const rows = answers.flatMap(({ projects }) => projects);
          if (rows.length === 0)
            return (
              <Empty title={isArchived ? 'No project is archived' : 'No projects yet'}>
                <code>POST /v1/projects</code> makes one; docs/projects.md shows how.
              </Empty>
            );
          return (
            <>
              <h2 className="visually-hidden">List</h2>
              <DataTable
                label="Projects"
                columns={COLUMNS}
                rows={rows}
                rowKey={({ id }) => id}
                linkOf={({ id }) => `/projects/${encodeURIComponent(id)}`}
                loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
                isLoadingMore={pages.isFetchingNextPage}
              />
            </>
          );
        }}
      </Answer>
    </Page>
  );
}
