import { Link, useParams } from 'wouter';
import { useAnswer, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readIncident, readTimeline } from '../../generated/daemon/sdk.gen.ts';
import type { IncidentCase, TimelineEntry } from '../../generated/daemon/types.gen.ts';
import { BlastRadius } from './BlastRadius.tsx';
import { AddNote, ExportIncident, HoldIncident, IncidentState } from './IncidentActions.tsx';
import { STATE_TONES } from './IncidentsScreen.tsx';

export default function IncidentScreen() {
  const { id = '' } = useParams<{ id: string }>();
  const query = useAnswer(['incidents', 'one', id], () => readIncident({ path: { id } }));
  const found = query.data?.case;
  return (
    <Page
      title={found?.title ?? 'Incident'}
      description={<Link href="/incidents">All incidents</Link>}
      actions={
        found && (
          <>
            <ExportIncident id={id} />
            <HoldIncident incident={found} />
          </>
        )
      }
    >
      <Answer query={query} rows={8}>
        {({ case: incident, radius_id }) => (
          <>
            <Case incident={incident} />
            <BlastRadius incident={incident} radiusId={radius_id} />
          </>
        )}
      </Answer>
      <Section title="Timeline">
        <Timeline id={id} />
      </Section>
    </Page>
  );
}

function Case({ incident }: { incident: IncidentCase }) {
  return (
    <div className="columns">
      <Section title="Case" actions={<IncidentState incident={incident} />}>
        <Details
          items={[
            [
              'State',
              <Badge key="state" tone={STATE_TONES[incident.status]}>
                {incident.status}
              </Badge>,
            ],
            ['Severity', incident.severity],
            ['From', <Time key="from" at={incident.window.from} isExact />],
            ['To', incident.window.to ? <Time at={incident.window.to} isExact /> : 'still going on'],
            ['Entities', incident.entities.join('\n')],
            ['Sessions', incident.session_ids.join('\n')],
            ['Agents', incident.agent_ids.join('\n')],
            ['Opened', <Time key="opened" at={incident.opened_at} isExact />],
            ['Opened by', incident.opened_by],
            ['Closed', incident.closed_at && <Time at={incident.closed_at} isExact />],
            ['Id', <Identifier key="id" value={incident.incident_id} />],
          ]}
        />
      </Section>
      <Section title="Notes" actions={<AddNote incident={incident} />}>
        {incident.note_log.length === 0 && <p className="text-body">{incident.notes || 'None yet.'}</p>}
        <ul className="plain-list">
          {incident.note_log.map(({ text, by, at }) => (
            <li key={`${at} ${text}`}>
              <p className="text-body">{text}</p>
              <span className="quiet">
                {by}, <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

const ENTRIES: Column<TimelineEntry>[] = [
  { name: 'At', width: '14rem', cell: ({ at }) => <Time at={at} isExact /> },
  { name: 'Source', width: '6rem', cell: ({ source }) => source },
  { name: 'What', width: 'minmax(9rem, 1fr)', cell: ({ kind }) => <code title={kind}>{kind}</code> },
  { name: 'Of', width: 'minmax(10rem, 2fr)', cell: ({ subject }) => <span title={subject}>{subject}</span> },
  { name: 'By', width: 'minmax(7rem, 1fr)', cell: ({ actor }) => actor ?? '' },
];

function Timeline({ id }: { id: string }) {
  const pages = usePages(['incidents', 'timeline', id], (cursor) =>
    readTimeline({ path: { id }, query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <PagedTable
      label="Timeline"
      pages={pages}
      rowsOf={({ entries }) => entries}
      columns={ENTRIES}
      rowKey={({ source, id: entry }) => `${source} ${entry}`}
      height="24rem"
      empty={<Empty title="Nothing happened in its window" />}
    />
  );
}
