import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadSettings, type Settings } from '../../common/config/settings.js';
import { openDatabase } from '../../common/database/open.js';
import { makeLog, type Log } from '../../common/observability/log.js';
import { Metrics } from '../../common/observability/metrics.js';
import { GO, type ReadyMessage } from './messages.js';
import { onStopSignal } from './stop-signal.js';

/** Beside the drain, closing connections takes a moment. */
const CLOSING_MS = 5_000;
const IDLE_MS = 50;

/** The apps, each loaded only when it is run. */
const APPS = {
  api: async () => (await import('../api.app.js')).openApi,
  tools: async () => (await import('../tools.app.js')).openTools,
  daemon: async (settings: Settings) => {
    // What it lacks is said before a database is opened for it.
    (await import('../../daemon/auth/start-rules.js')).authModeToStartIn(settings);
    return (await import('../daemon.app.js')).openDaemon;
  },
};
export type AppName = keyof typeof APPS;

/**
 * Runs one app in this process until SIGTERM or SIGINT, then drains it: no new connections, requests in flight are
 * answered, jobs in hand finished, for at most SVC_SHUTDOWN_DRAIN_SECS (the daemon: SVCD_SHUTDOWN_DRAIN_SECS). Alone it migrates the database first; under the supervisor
 * it waits for that to be done, and stops when the supervisor is gone.
 *
 * @returns the exit code: 0 when the drain was complete
 */
export async function runApp(name: AppName, { supervised }: { supervised: boolean }): Promise<number> {
  const stop = supervised ? Promise.race([onStopSignal().requested, supervisorLoss()]) : onStopSignal().requested;
  const settings = loadSettings();
  const log = makeLog(settings, name);
  const [open] = await Promise.all([APPS[name](settings), supervised ? supervisorGo() : undefined]);
  const database = await openDatabase(settings, (message) => log.debug(message));
  try {
    if (!supervised) {
      const { prepareDatabase } = await import('./prepare-database.js');
      await prepareDatabase(settings, database.address, (message) => log.info(message));
    }
    const { app, url } = await open({ settings, address: database.address, log, metrics: new Metrics() });
    log.info({ url }, 'ready');
    log.flush();
    if (supervised) process.send?.({ ready: url } satisfies ReadyMessage);
    log.info({ reason: await stop }, 'draining');
    return await drain(app, drainSecondsOf(name, settings), log);
  } finally {
    await database.close();
  }
}

const drainSecondsOf = (name: AppName, { process, daemon }: Settings): number =>
  name === 'daemon' ? daemon.drainSeconds : process.drainSeconds;

async function drain(app: NestFastifyApplication, seconds: number, log: Log): Promise<number> {
  const closed = app.close().then(() => true);
  // A kept-alive connection that was busy when the close began is idle after its answer, and would be waited for.
  const server = app.getHttpServer();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const isComplete = await Promise.race([closed, sleep(seconds * 1000 + CLOSING_MS, false)]);
  clearInterval(idle);
  if (isComplete) log.info('stopped');
  else log.warn({ seconds }, 'stopped before the drain was complete');
  return isComplete ? 0 : 1;
}

/** The IPC channel closes with the supervisor, however it ends: an app without one would never be stopped. */
function supervisorLoss(): Promise<string> {
  return new Promise((resolve) => process.once('disconnect', () => resolve('the supervisor is gone')));
}

function supervisorGo(): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === GO) resolve();
    });
  });
}
