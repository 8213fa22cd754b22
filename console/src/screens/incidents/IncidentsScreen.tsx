import { useState } from 'react';
import { useLocation } from 'wouter';
import { useIdentity } from '../../client/identity.ts';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listIncidents } from '../../generated/daemon/sdk.gen.ts';
import type { IncidentCase } from '../../generated/daemon/types.gen.ts';
import { OpenIncident } from './OpenIncident.tsx';

const STATES = ['all', 'open', 'contained', 'closed'].map((value) => ({ value, label: value }));
export const STATE_TONES = { open: 'bad', contained: 'warn', closed: 'plain' } as const;

const addressOf = (id: string) => `/incidents/${encodeURIComponent(id)}`;

const COLUMNS: Column<IncidentCase>[] = [
  { name: 'Title', width: 'minmax(12rem, 2fr)', cell: ({ title }) => <span title={title}>{title}</span> },
  { name: 'Severity', width: '6rem', cell: ({ severity }) => severity },
  { name: 'State', width: '7rem', cell: ({ status }) => <Badge tone={STATE_TONES[status]}>{status}</Badge> },
  { name: 'Opened by', width: 'minmax(7rem, 1fr)', cell: ({ opened_by }) => opened_by },
  { name: 'Opened', width: '8rem', cell: ({ opened_at }) => <Time at={opened_at} /> },
];

/** Cases: what went wrong, and how far it reaches. */
export default function IncidentsScreen() {
  const { tenant } = useIdentity();
  const [status, setStatus] = useState('all');
  const [isOpening, setOpening] = useState(false);
  const [, navigate] = useLocation();
  const pages = usePages(['incidents', 'list', tenant, status], (cursor) =>
    listIncidents({
      query: {
        tenant_id: tenant,
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === 'all' ? {} : { status: status as IncidentCase['status'] }),
      },
    }),
  );
  return (
    <Page title="Incidents" description="What went wrong, what rests on it, and what is held.">
      <div className="filters">
        <SelectField label="State" value={status} onChange={setStatus} choices={STATES} />
        <Button right="write" look="primary" onPress={() => setOpening(true)}>
          Open an incident
        </Button>
      </div>
      <h2 className="visually-hidden">List</h2>
      <PagedTable
        label="Incidents"
        pages={pages}
        rowsOf={({ cases }) => cases}
        columns={COLUMNS}
        rowKey={({ incident_id }) => incident_id}
        linkOf={({ incident_id }) => addressOf(incident_id)}
        empty={
          <Empty title="No incidents">
            One gathers what happened in a window of time: the sessions, agents and entities it is about.
          </Empty>
        }
      />
      {isOpening && <OpenIncident onClose={() => setOpening(false)} onOpened={(id) => navigate(addressOf(id))} />}
    </Page>
  );
}
