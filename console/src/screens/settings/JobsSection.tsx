import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readVersion } from '../../generated/daemon/sdk.gen.ts';
import type { ScheduledJob } from '../../generated/daemon/types.gen.ts';
import { intervalOf } from './quantities.ts';

type Job = ScheduledJob;

const EVERY_MS = 5_000;
const isFailing = ({ state }: Job) => state === 'failing' || state === 'stopped';

const COLUMNS: Column<Job>[] = [
  { name: 'Job', width: 'minmax(11rem, 2fr)', cell: ({ name }) => name },
  {
    name: 'State',
    width: '8rem',
    cell: (job) => <Badge tone={isFailing(job) ? 'bad' : 'plain'}>{job.state}</Badge>,
  },
  { name: 'Runs every', width: '8rem', cell: ({ every_ms }) => intervalOf(every_ms) },
  { name: 'Last run', width: '9rem', cell: ({ last_run_at }) => <Time at={last_run_at} /> },
];

/** Read from the memory of the daemon: also there while the database is away. */
export function JobsSection() {
  const version = useAnswer(['jobs'], () => readVersion(), { everyMs: EVERY_MS });
  return (
    <Section title="Background jobs">
      <Answer query={version} rows={8}>
        {({ scheduler }) => (
          <>
            <p className="row">
              <Badge tone={scheduler.state === 'running' ? 'good' : 'bad'}>{scheduler.state}</Badge>
              <span className="quiet">{scheduler.jobs.filter(isFailing).length} of them fail</span>
            </p>
            <DataTable
              label="Background jobs"
              columns={COLUMNS}
              rows={[...scheduler.jobs].sort((a, b) => Number(isFailing(b)) - Number(isFailing(a)))}
              rowKey={({ name }) => name}
              height="20rem"
            />
          </>
        )}
      </Answer>
    </Section>
  );
}
