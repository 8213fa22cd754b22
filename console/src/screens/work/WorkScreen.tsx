import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listWork } from '../../generated/daemon/sdk.gen.ts';
import type { ListWorkData, WorkItem } from '../../generated/daemon/types.gen.ts';
import { CreateWork } from './CreateWork.tsx';
import { obstacleOf, STATES, TONES, workAddress, type WorkState } from './work-states.ts';

const PAGE = 100;
const NO_FILTER = { state: 'all', project: '', assignee: '', label: '' };
const CHOICES = [
  { value: 'all', label: 'All states' },
  ...Object.entries(STATES).map(([value, label]) => ({ value, label })),
];

const COLUMNS: Column<WorkItem>[] = [
  { name: 'State', width: '7rem', cell: ({ state }) => <Badge tone={TONES[state]}>{STATES[state]}</Badge> },
  { name: 'Title', width: 'minmax(14rem, 3fr)', cell: ({ title }) => <span title={title}>{title}</span> },
  { name: 'Priority', width: '5rem', cell: ({ priority }) => priority, isNumber: true },
  { name: 'Project', width: 'minmax(8rem, 1fr)', cell: ({ project_id }) => project_id },
  { name: 'Holder', width: 'minmax(8rem, 1fr)', cell: ({ lease }) => lease?.holder_passport ?? '' },
  { name: 'Lease ends', width: '8rem', cell: ({ lease }) => lease && <Time at={lease.expires_at} /> },
  { name: 'Blocked by', width: 'minmax(8rem, 1fr)', cell: obstacleOf },
  { name: 'Changed', width: '8rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
];

/** The board of work: the most urgent first. */
export default function WorkScreen() {
  const [isCreating, setCreating] = useState(false);
  const { draft: filter, change, clear } = useDraft('work filter', NO_FILTER);
  const isFiltered = Object.values(filter).some((value) => value !== '' && value !== 'all');
  const pages = useWork(filter);
  const create = (
    <Button right="write" look="primary" onPress={() => setCreating(true)}>
      New item
    </Button>
  );
  return (
    <Page title="Work" description="What is to be done, who holds it and until when." actions={create}>
      <Section title="Board">
        <div className="columns figures">
          <SelectField label="State" value={filter.state} onChange={(state) => change({ state })} choices={CHOICES} />
          <TextField label="Project" value={filter.project} onChange={(project) => change({ project })} />
          <TextField label="Assigned to" value={filter.assignee} onChange={(assignee) => change({ assignee })} />
          <TextField label="Label" value={filter.label} onChange={(label) => change({ label })} />
        </div>
        <Answer query={pages} rows={8}>
          {(read) => {
            const rows = read.flatMap(({ work }) => work);
            if (rows.length === 0) return <NoWork {...{ isFiltered, clear }} />;
            return (
              <DataTable
                label="Work"
                columns={COLUMNS}
                rows={rows}
                rowKey={({ id }) => id}
                linkOf={({ id }) => workAddress(id)}
                loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
                isLoadingMore={pages.isFetchingNextPage}
              />
            );
          }}
        </Answer>
      </Section>
      {isCreating && <CreateWork project={filter.project} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoWork({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered) return <Empty title="No work is like that" action={<Button onPress={clear}>Show all work</Button>} />;
  return (
    <Empty title="No work yet">
      Make an item here, or let an agent make one: POST /v1/work. It stands here at once, for whoever claims it.
    </Empty>
  );
}

function useWork({ state, project, assignee, label }: typeof NO_FILTER) {
  const query: NonNullable<ListWorkData['query']> = {
    limit: PAGE,
    ...(state === 'all' ? {} : { state: state as WorkState }),
    ...(project.trim() ? { project_id: project.trim() } : {}),
    ...(assignee.trim() ? { assignee_passport: assignee.trim() } : {}),
    ...(label.trim() ? { label: label.trim() } : {}),
  };
  return usePages(['work', 'board', query], (cursor) =>
    listWork({ query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }),
  );
}
