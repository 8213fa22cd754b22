import type { Provider } from '@nestjs/common';
import type { Db } from 'pg-boss';
import type { ProcessContext } from '../process-context.js';
import { Connections } from '../database/connections.js';
import { poolOf } from '../database/pool-of.js';
import { Listener } from '../database/listener.js';
import { DueWork } from '../scheduler/due-work.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { Jobs, JOBS_SCHEMA } from './jobs.js';
import { QUEUES } from './queues.js';

/** The job queue of a process, on the connections and the listener that the process has anyway. */
export const jobsOf = ({ settings, log }: Pick<ProcessContext, 'settings' | 'log'>): Provider => ({
  provide: Jobs,
  useFactory: (tenancy: Tenancy, connections: Connections, listener: Listener, dueWork: DueWork) =>
    new Jobs(settings, tenancy, log, dueWork, queueDatabase(connections, listener, dueWork)),
  inject: [Tenancy, Connections, Listener, DueWork],
});

/** The job queue of a process that sends jobs and leaves the work to the API's processes, whatever SVC_JOBS says. */
export const jobsForOthers = ({ settings, log }: Pick<ProcessContext, 'settings' | 'log'>): Provider =>
  jobsOf({ settings: { ...settings, jobs: { ...settings.jobs, enabled: false } }, log });

/** Queues with a job whose time has come: retries come due without a notification. */
const DUE_QUEUES = `
  select n.name from unnest('{${QUEUES.map(({ name }) => name).join(',')}}'::text[]) n(name)
  where exists (select from ${JOBS_SCHEMA}.job j
    where j.name = n.name and j.state < 'active' and not j.blocked and j.start_after <= now())`;

function queueDatabase({ operator }: Connections, listener: Listener, dueWork: DueWork): Db {
  return {
    executeSql: (text, values) => operator.writes.run(() => poolOf(operator.source).query(text, values)),
    listen: async (channel, onNotification, onReconnect) => {
      const stops = [
        listener.on(channel, onNotification),
        listener.onGap(onReconnect),
        dueWork.names(
          () => DUE_QUEUES,
          (queues) => queues.forEach(onNotification),
        ),
      ];
      return { close: async () => stops.forEach((stop) => stop()) };
    },
  };
}
