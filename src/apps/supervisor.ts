import { loadSettings, type Settings } from '../common/config/settings.js';
import { AppProcess } from './supervisor/app-process.js';
import { DatabaseKeeper } from './supervisor/database-keeper.js';
import { claimPort } from './supervisor/port.js';
import { onStopSignal, type StopSignal } from './supervisor/stop-signal.js';
import { makeSupervisorLog, type SupervisorLog } from './supervisor/supervisor-log.js';
import { describeWelcome } from './supervisor/welcome.js';

/** What an app may take beyond its drain before it is killed. */
const KILL_AFTER_MS = 10_000;

/**
 * `svc start`: the database, and every app as a child process, until SIGTERM or SIGINT. Then one drain: the apps first, the
 * database last. The apps load their programs while the database comes up and wait for it before they open.
 *
 * @returns the exit code
 */
export async function runSupervisor(): Promise<number> {
  const startedAt = performance.now();
  const settings = loadSettings();
  const log = makeSupervisorLog(settings);
  const signal = onStopSignal();
  const apps = makeApps(settings, await claimPort(settings.api.host, settings.api.port), log);
  const database = new DatabaseKeeper(settings, log);
  for (const app of apps) app.start();
  try {
    const opened = open(settings, database, apps, log, startedAt);
    const reason = await Promise.race([signal.requested, opened.then(() => signal.requested)]);
    log.info(`Stopping (${reason}): draining requests and jobs`);
    return 0;
  } catch (error) {
    process.stderr.write(`svc: ${(error as Error).message}\n`);
    return 1;
  } finally {
    await stopAll(settings, database, apps, signal);
    log.info('Stopped');
  }
}

function makeApps(settings: Settings, port: number, log: SupervisorLog): AppProcess[] {
  const environment = { SVC_API_PORT: String(port) };
  return Array.from({ length: settings.api.processes }, () => new AppProcess({ app: 'api', environment, log }));
}

async function open(
  settings: Settings,
  database: DatabaseKeeper,
  apps: AppProcess[],
  log: SupervisorLog,
  startedAt: number,
): Promise<void> {
  const address = await database.start();
  const { prepareDatabase } = await import('./supervisor/prepare-database.js');
  const made = await prepareDatabase(settings, address, (message) => log.info(message));
  for (const app of apps) app.allow();
  const [url = ''] = await Promise.all(apps.map((app) => app.ready));
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  log.info(`Ready at ${url} after ${seconds} s`, { url, seconds });
  process.stderr.write(await describeWelcome(settings, settings.process.publicUrl ?? url, made));
}

async function stopAll(
  settings: Settings,
  database: DatabaseKeeper,
  apps: AppProcess[],
  signal: StopSignal,
): Promise<void> {
  const grace = settings.process.drainSeconds * 1000 + KILL_AFTER_MS;
  await Promise.all(apps.map((app) => app.stop(grace, signal.insisted)));
  await database.stop();
}
