import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../common/config/settings.js';
import { LogProgress } from '../../common/evidence-log/log-progress.js';
import type { Check } from '../../common/health/check.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { Advice } from './examine.js';

const LOOK_MS = 200;
const WAIT_MS = 5_000;

/** That the log takes the records that wait for it, where a process runs that would. Made before doctor connects. */
export function logProgressCheck({ evidence }: Settings, ask: Query): Check {
  const madeAt = performance.now();
  return {
    name: 'log_progress',
    remedy:
      'Nothing new is proven until the log grows. Look in the log of the processes for log_sequencer: it says why not.',
    run: async () => {
      const waitMs = WAIT_MS + 2 * evidence.logIntervalMs;
      const progress = new LogProgress(waitMs);
      const until = performance.now() + waitMs;
      while (await progress.look(ask)) {
        const fault = progress.describeFault();
        if (fault === undefined) {
          // Others come all the time, where much is written.
          if (performance.now() > until) return 'the log takes the records that wait for it';
          await sleep(LOOK_MS);
        } else if (await isServed(ask, madeAt)) throw new Error(fault);
        else throw new Advice('records wait for the log, and no server is connected', 'Start svc: it takes them.');
      }
      return 'no record waits for the log';
    },
  };
}

/** Whether a process works in the database that connected before doctor did. */
async function isServed(ask: Query, madeAt: number): Promise<boolean> {
  const [row] = await ask<{ served: boolean }>(SERVED, [(performance.now() - madeAt) / 1000]);
  return row!.served;
}

const SERVED = `
  select exists (select from pg_stat_activity where datname = current_database() and usename = 'svc_operator'
    and backend_start < clock_timestamp() - make_interval(secs => $1)) as served`;
