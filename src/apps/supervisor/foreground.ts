import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { shutdownDelayOf } from '../../common/config/shutdown-delay.js';
import { listDoubts } from '../../common/config/doubts.js';
import { loadSettings, type Settings } from '../../common/config/settings.js';
import { wantedPorts } from '../../common/config/wanted-ports.js';
import { openDatabase } from '../../common/database/open.js';
import { makeLog, type Log } from '../../common/observability/log.js';
import { Metrics } from '../../common/observability/metrics.js';
import { Announcement } from './announcement.js';
import { collectAtRest } from './collect-at-rest.js';
import { GO, STOP, STOP_SOON, type ReadyMessage } from './messages.js';
import { showMetricsOfAll } from './metrics-of-all.js';
import { explainBind } from './port.js';
import { onStopSignal } from './stop-signal.js';

/** In addition to the drain, closing connections takes a moment. */
const CLOSING_MS = 5_000;
const IDLE_MS = 50;

/** The apps, each loaded only when it is run. */
const APPS = {
  api: async () => (await import('../api.app.js')).openApi,
  tools: async () => (await import('../tools.app.js')).openTools,
  daemon: async (settings: Settings) => {
    // What it lacks is said before a database is opened for it.
    (await import('../../common/bearer-auth/start-rules.js')).authModeToStartIn(settings);
    return (await import('../daemon.app.js')).openDaemon;
  },
};
export type AppName = keyof typeof APPS;

/**
 * Runs one app in this process until SIGTERM or SIGINT. Then it says for SVC_SHUTDOWN_DELAY_SECS that it is shutting
 * down, and drains: no new connections, requests in flight are answered, running jobs are finished, for at most
 * SVC_SHUTDOWN_DRAIN_SECS (the daemon: SVCD_SHUTDOWN_DRAIN_SECS). A second signal ends both. Alone it migrates the
 * database first; under the supervisor it waits for that to be done, and stops when the supervisor says so or is gone.
 *
 * @returns the exit code: 0 when the drain was complete
 */
export async function runApp(name: AppName, { supervised }: { supervised: boolean }): Promise<number> {
  const { stop, insisted } = supervised ? stopOfSupervised() : stopOfForeground();
  const announcement = new Announcement();
  const settings = loadSettings();
  const log = makeLog(settings, name);
  if (!supervised) for (const doubt of listDoubts()) log.warn(doubt);
  const wanted = supervised ? Promise.race([supervisorGo(announcement), stop.then(() => false)]) : true;
  const [open, isWanted] = await Promise.all([APPS[name](settings), wanted]);
  if (!isWanted) return 0;
  const stopTracing = await beginTracing(settings, name);
  const database = await openDatabase(settings, (message) => log.debug(message));
  try {
    if (!supervised) {
      const { prepareDatabase } = await import('./prepare-database.js');
      await prepareDatabase(settings, database.address, (message) => log.info(message));
    }
    const restart = Promise.withResolvers<string>();
    const metrics = new Metrics();
    if (supervised && processesOf(name, settings) > 1) showMetricsOfAll(metrics);
    const parts = {
      ...{ settings, address: database.address, log, metrics, stopping: announcement.signal },
      ...(supervised ? { restart: () => restart.resolve('a restart was asked for') } : {}),
    };
    const { app, url } = await open(parts).catch((error: unknown) => {
      throw explainBind(error, wantedPorts(settings));
    });
    log.info({ url }, 'ready');
    log.flush();
    collectAtRest();
    if (supervised) process.send?.({ ready: url } satisfies ReadyMessage);
    const delay = shutdownDelayOf(settings);
    log.info({ reason: await Promise.race([stop, restart.promise]), delay_secs: delay }, 'shutting down');
    announcement.make();
    await announcement.knownFor(delay, insisted);
    log.info('draining');
    return await drain(app, { seconds: drainSecondsOf(name, settings), insisted, log });
  } finally {
    await database.close();
    await stopTracing();
  }
}

/** What it loads is not loaded where nobody asks for it. */
async function beginTracing(settings: Settings, name: AppName): Promise<() => Promise<void>> {
  if (!settings.tracing.features.includes('otel')) return async () => undefined;
  const { startTracing } = await import('../../common/observability/start-tracing.js');
  return startTracing(settings, name);
}

const drainSecondsOf = (name: AppName, { process, daemon }: Settings): number =>
  name === 'daemon' ? daemon.drainSeconds : process.drainSeconds;

const processesOf = (name: AppName, { api, tools }: Settings): number =>
  ({ api: api.processes, tools: tools.processes, daemon: 1 })[name];

async function drain(
  app: NestFastifyApplication,
  { seconds, insisted, log }: { seconds: number; insisted: Promise<void>; log: Log },
): Promise<number> {
  const closed = app.close().then(() => true);
  // A kept-alive connection that was busy when the close began is idle after its answer, and would be waited for.
  const server = app.getHttpServer();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const cut = insisted.then(() => false);
  const isComplete = await Promise.race([closed, sleep(seconds * 1000 + CLOSING_MS, false), cut]);
  clearInterval(idle);
  if (isComplete) log.info('stopped');
  else log.warn({ seconds }, 'stopped before the drain was complete');
  return isComplete ? 0 : 1;
}

interface Stop {
  /** Settles with the reason to stop. */
  stop: Promise<string>;
  /** Settles when it is to stop at once. */
  insisted: Promise<void>;
}

function stopOfForeground(): Stop {
  const { requested, insisted } = onStopSignal();
  return { stop: requested, insisted };
}

/**
 * Signals are left to the supervisor, which stops the apps in their order and kills for who does not want to wait:
 * Ctrl-C reaches every process of a terminal at once.
 */
function stopOfSupervised(): Stop {
  onStopSignal();
  return { stop: Promise.race([supervisorStop(), supervisorLoss()]), insisted: new Promise(() => undefined) };
}

function supervisorStop(): Promise<string> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === STOP) resolve('the supervisor stops it');
    });
  });
}

/** The IPC channel closes with the supervisor, however it ends: an app without one would never be stopped. */
function supervisorLoss(): Promise<string> {
  return new Promise((resolve) => process.once('disconnect', () => resolve('the supervisor is gone')));
}

function supervisorGo(announcement: Announcement): Promise<true> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === GO) resolve(true);
      if (message === STOP_SOON) announcement.make();
    });
  });
}
