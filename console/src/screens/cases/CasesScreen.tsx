import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listCases } from '../../generated/daemon/sdk.gen.ts';
import type { MemoryCase } from '../../generated/daemon/types.gen.ts';

const OUTCOMES = [
  { value: 'all', label: 'All' },
  { value: 'true', label: 'Went well' },
  { value: 'false', label: 'Did not' },
];

const COLUMNS: Column<MemoryCase>[] = [
  { name: 'Task', width: 'minmax(12rem, 2fr)', cell: ({ task }) => <span title={task}>{task}</span> },
  {
    name: 'Went',
    width: '6rem',
    cell: ({ success }) => <Badge tone={success ? 'good' : 'bad'}>{wentOf(success)}</Badge>,
  },
  { name: 'Reward', width: '5rem', isNumber: true, cell: ({ reward }) => reward.toFixed(2) },
  {
    name: 'Lesson',
    width: 'minmax(12rem, 2fr)',
    cell: ({ lesson }) => lesson && <span title={lesson}>{lesson}</span>,
  },
  { name: 'Tags', width: 'minmax(7rem, 1fr)', cell: ({ tags }) => tags.join(', ') },
  { name: 'Recorded', width: '8rem', cell: ({ created_at }) => <Time at={created_at} /> },
];

export const wentOf = (success: boolean): string => (success ? 'well' : 'badly');

/** What was to be done, what was done, and how it went. */
export default function CasesScreen() {
  const [success, setSuccess] = useState('all');
  const [tag, setTag] = useState('');
  const wanted = tag.trim();
  const pages = usePages(['cases', 'list', success, wanted], (cursor) =>
    listCases({
      query: {
        limit: 100,
        ...(success === 'all' ? {} : { success: success === 'true' }),
        ...(wanted ? { tag: wanted } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      },
    }),
  );
  return (
    <Page title="Cases" description="What was done for a task and how it went; agents are given those that fit theirs.">
      <div className="filters">
        <SelectField label="Went" value={success} onChange={setSuccess} choices={OUTCOMES} />
        <TextField label="Tag" value={tag} onChange={setTag} />
      </div>
      <h2 className="visually-hidden">List</h2>
      <PagedTable
        label="Cases"
        pages={pages}
        rowsOf={({ cases }) => cases}
        columns={COLUMNS}
        rowKey={({ case_id }) => case_id}
        linkOf={({ case_id }) => `/cases/${case_id}`}
        empty={<Empty title="No cases">Agents record them by POST /v1/cases, failures too.</Empty>}
      />
    </Page>
  );
}
