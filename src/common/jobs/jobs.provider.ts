import type { Provider } from '@nestjs/common';
import type { Db } from 'pg-boss';
import type { ProcessContext } from '../process-context.js';
import { Connections, poolOf } from '../database/connections.js';
import { Listener } from '../database/listener.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { Jobs } from './jobs.js';

/** The job queue of a process, on the connections and the listener that the process has anyway. */
export const jobsOf = ({ settings, log }: Pick<ProcessContext, 'settings' | 'log'>): Provider => ({
  provide: Jobs,
  useFactory: (tenancy: Tenancy, connections: Connections, listener: Listener) =>
    new Jobs(settings, tenancy, log, queueDatabase(connections, listener)),
  inject: [Tenancy, Connections, Listener],
});

/** The job queue of a process that sends jobs and leaves the work to the API's processes, whatever SVC_JOBS says. */
export const jobsForOthers = ({ settings, log }: Pick<ProcessContext, 'settings' | 'log'>): Provider =>
  jobsOf({ settings: { ...settings, jobs: { ...settings.jobs, enabled: false } }, log });

function queueDatabase({ operator }: Connections, listener: Listener): Db {
  return {
    executeSql: (text, values) => poolOf(operator.source).query(text, values),
    listen: async (channel, onNotification, onReconnect) => {
      const stops = [listener.on(channel, onNotification), listener.onGap(onReconnect)];
      return { close: async () => stops.forEach((stop) => stop()) };
    },
  };
}
