import { useDeferredValue, useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { Json } from '../../components/Json.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listActivity } from '../../generated/daemon/sdk.gen.ts';
import type { Activity, ActivityEvent } from '../../generated/daemon/types.gen.ts';
import { aboutOf, isFiltered, NO_FILTER, queryOf, type ActivityFilter } from './activity-filter.ts';
import { LiveSection } from './LiveSection.tsx';
import './activity.css';

/** What happens in the tenant, and what has happened. */
export default function ActivityScreen() {
  const { draft: filter, change, clear } = useDraft('activity filter', NO_FILTER);
  const settled = useDeferredValue(filter);
  return (
    <Page title="Activity" description="Who did what, as it happens and as it is kept.">
      <Filters filter={filter} change={change} clear={clear} />
      <LiveSection filter={settled} />
      <Section title="History">
        <History filter={settled} />
      </Section>
    </Page>
  );
}

interface FiltersProps {
  filter: ActivityFilter;
  change: (part: Partial<ActivityFilter>) => void;
  clear: () => void;
}

function Filters({ filter, change, clear }: FiltersProps) {
  return (
    <div className="stack" role="search" aria-label="Activity">
      <div className="columns">
        <TextField
          label="Kind"
          value={filter.kind}
          onChange={(kind) => change({ kind })}
          hint="As fact.stored, or fact.* for all of them."
          isMono
        />
        <TextField
          label="Actor"
          value={filter.actor}
          onChange={(actor) => change({ actor })}
          hint="A passport, or an actor in full."
          isMono
        />
        <TextField
          label="Entity"
          value={filter.entity}
          onChange={(entity) => change({ entity })}
          hint="This one and those below it."
          isMono
        />
      </div>
      {isFiltered(filter) && (
        <div className="row">
          <Button onPress={clear}>Show all</Button>
        </div>
      )}
    </div>
  );
}

const COLUMNS: Column<ActivityEvent>[] = [
  { name: 'When', width: '8rem', cell: ({ time }) => <Time at={time} /> },
  { name: 'Kind', width: 'minmax(9rem, 1fr)', cell: ({ type }) => <code>{type}</code> },
  { name: 'About', width: 'minmax(12rem, 2fr)', cell: (event) => <span title={aboutOf(event)}>{aboutOf(event)}</span> },
  { name: 'Actor', width: 'minmax(8rem, 1fr)', cell: ({ actor }) => actor ?? <span className="quiet">unknown</span> },
];

const eventsOf = ({ events }: Activity) => events;

function History({ filter }: { filter: ActivityFilter }) {
  const [opened, setOpened] = useState<ActivityEvent>();
  const pages = usePages(
    ['activity', 'history', filter],
    (cursor) => listActivity({ query: { ...queryOf(filter), limit: 100, ...(cursor ? { cursor } : {}) } }),
    { rowsIn: ({ events }) => events.length },
  );
  const close = () => setOpened(undefined);
  return (
    <>
      <PagedTable
        pages={pages}
        rowsOf={eventsOf}
        label="History"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        empty={
          isFiltered(filter) ? (
            <Empty title="Nothing matches">Kinds end in .* to take in all below; actors and entities are exact.</Empty>
          ) : (
            <Empty title="Nothing has happened yet">Store a fact, and it stands here.</Empty>
          )
        }
      />
      <Dialog title={opened?.type ?? ''} isOpen={opened !== undefined} onClose={close} isWide>
        {opened && <EventDetail event={opened} close={close} />}
      </Dialog>
    </>
  );
}

function EventDetail({ event, close }: { event: ActivityEvent; close: () => void }) {
  return (
    <div className="stack">
      <p>
        {aboutOf(event)}, <Time at={event.time} isExact />, by {event.actor ?? 'an unknown actor'}.
      </p>
      <Json value={event} label="The event, as JSON" />
      <div className="row end">
        <Button onPress={close}>Close</Button>
      </div>
    </div>
  );
}
