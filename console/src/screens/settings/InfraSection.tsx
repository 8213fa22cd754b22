import { useAnswer } from '../../client/queries.ts';
import { Details } from '../../components/Details.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { readInfraSummary } from '../../generated/daemon/sdk.gen.ts';
import { durationOf, sizeOf } from './quantities.ts';

const EVERY_MS = 5_000;

export function InfraSection() {
  const infra = useAnswer(['infra'], () => readInfraSummary(), { everyMs: EVERY_MS });
  return (
    <Section title="Process and database">
      <Answer query={infra} rows={8}>
        {({ process, database, streams, log_size, replicas }) => (
          <Details
            items={[
              ['Process', `${process.pid}${process.supervised ? ', supervised' : ', runs by itself'}`],
              ['Up for', durationOf(process.uptime_seconds)],
              ['Memory', sizeOf(process.memory_bytes)],
              ['Database', sizeOf(database.bytes)],
              [
                'Connections',
                `${database.connections} of ${database.max_connections}; this daemon uses ${database.pool_size} at most`,
              ],
              ['Evidence log', log_size === null ? 'no record yet' : `${log_size.toLocaleString()} records`],
              [
                'Event streams',
                `${streams.streams.toLocaleString()}, with ${streams.events.toLocaleString()} events in ` +
                  `${streams.segments.toLocaleString()} segments`,
              ],
              [
                'Replicas',
                replicas
                  .map(({ node_id, last_seq, bytes }) => `${node_id}: ${last_seq}, ${sizeOf(bytes)}`)
                  .join('\n') || 'none sent segments',
              ],
            ]}
          />
        )}
      </Answer>
    </Section>
  );
}
