import { apiUrlOf, consoleUrlOf, daemonUrlOf } from '../common/config/server-urls.js';
import { shutdownDelayOf } from '../common/config/shutdown-delay.js';
import { listDoubts } from '../common/config/doubts.js';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { wantedPorts } from '../common/config/wanted-ports.js';
import { authModeToStartIn } from '../common/bearer-auth/start-rules.js';
import { AppProcess } from './supervisor/app-process.js';
import { DatabaseKeeper } from './supervisor/database-keeper.js';
import { MetricsExchange } from './supervisor/metrics-exchange.js';
import { Preparation } from './supervisor/preparation.js';
import { claimPorts } from './supervisor/port.js';
import { onStopSignal, type StopSignal } from './supervisor/stop-signal.js';
import { makeSupervisorLog, type SupervisorLog } from './supervisor/supervisor-log.js';
import { describeWelcome, type Addresses } from './supervisor/welcome.js';

/** What an app may take beyond its drain before it is killed. */
const KILL_AFTER_MS = 10_000;

/** The processes of each app, the API first: the tool service passes its calls on to it. */
interface Apps {
  api: AppProcess[];
  tools: AppProcess[];
  daemon: AppProcess[];
}

const all = ({ api, tools, daemon }: Apps): AppProcess[] => [...api, ...tools, ...daemon];

/**
 * `svc start`: the database, and every app as a child process, until SIGTERM or SIGINT. Then one drain: the apps first,
 * the database last. The apps load their programs while the database comes up and wait for it before they open.
 *
 * @returns the exit code
 * @throws Error when database or apps do not come up
 */
export async function runSupervisor(): Promise<number> {
  const startedAt = performance.now();
  const wanted = loadSettings();
  authModeToStartIn(wanted);
  const settings = await withClaimedPorts(wanted);
  const log = makeSupervisorLog(settings);
  for (const doubt of listDoubts()) log.warn(doubt);
  const signal = onStopSignal();
  const apps = makeApps(settings, log);
  const database = new DatabaseKeeper(settings, log);
  const preparation = new Preparation(allPortsOf(settings));
  for (const app of all(apps)) app.start();
  try {
    const opened = open({ settings, database, preparation, apps, log, startedAt });
    const reason = await Promise.race([signal.requested, opened.then(() => signal.requested)]);
    log.info(`Stopping (${reason}): draining requests and jobs`);
    return 0;
  } finally {
    await stopAll(settings, database, apps, signal);
    log.info('Stopped');
  }
}

/** With the ports as they will be bound, also where any was wanted. */
async function withClaimedPorts(settings: Settings): Promise<Settings> {
  const { api, tools, daemon } = settings;
  const [apiPort, toolsPort, httpPort, mcpPort, grpcPort] = await claimPorts(wantedPorts(settings));
  return {
    ...settings,
    api: { ...api, port: apiPort! },
    tools: { ...tools, port: toolsPort! },
    daemon: { ...daemon, httpPort: httpPort!, mcpPort: mcpPort!, grpcPort: grpcPort! },
  };
}

function makeApps(settings: Settings, log: SupervisorLog): Apps {
  const { api, tools } = settings;
  const addresses = {
    SVC_API_URL: apiUrlOf(settings),
    SVC_DAEMON_URL: daemonUrlOf(settings),
    SVC_CONSOLE_URL: consoleUrlOf(settings),
  };
  const make = (app: keyof Apps, processes: number, ports: Record<string, string>): AppProcess[] => {
    const environment = { ...addresses, ...ports };
    const made = Array.from({ length: processes }, () => new AppProcess({ app, environment, log }));
    if (processes > 1) new MetricsExchange(made).open();
    return made;
  };
  const ports = portsOf(settings);
  return {
    api: make('api', api.processes, ports.api),
    tools: make('tools', tools.processes, ports.tools),
    daemon: make('daemon', 1, ports.daemon),
  };
}

const allPortsOf = (settings: Settings): Record<string, string> =>
  Object.fromEntries(Object.values(portsOf(settings)).flatMap((ports) => Object.entries(ports)));

/** The ports of each app as its environment names them. */
const portsOf = ({ api, tools, daemon }: Settings): Record<keyof Apps, Record<string, string>> => ({
  api: { SVC_API_PORT: String(api.port) },
  tools: { SVC_TOOLS_PORT: String(tools.port) },
  daemon: {
    SVCD_HTTP_PORT: String(daemon.httpPort),
    SVCD_MCP_PORT: String(daemon.mcpPort),
    SVCD_GRPC_PORT: String(daemon.grpcPort),
  },
});

interface Parts {
  settings: Settings;
  database: DatabaseKeeper;
  preparation: Preparation;
  apps: Apps;
  log: SupervisorLog;
  startedAt: number;
}

async function open({ settings, database, preparation, apps, log, startedAt }: Parts): Promise<void> {
  const address = await database.start();
  const made = await preparation.run(address, (message) => log.info(message));
  for (const app of all(apps)) app.allow();
  const [api, tools, daemon] = await Promise.all([readyAt(apps.api), readyAt(apps.tools), readyAt(apps.daemon)]);
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  log.info(`Ready after ${seconds} s: API at ${api}, tool service at ${tools}, memory daemon at ${daemon}`, {
    url: api,
    tools_url: tools,
    daemon_url: daemon,
    seconds,
  });
  const addresses: Addresses = {
    api: settings.process.publicUrl ?? api,
    tools: settings.tools.publicUrl ?? tools,
    daemon,
  };
  process.stderr.write(await describeWelcome(settings, addresses, made));
}

/** The address that the processes of one app share, once all of them listen. */
async function readyAt(processes: AppProcess[]): Promise<string> {
  const [url = ''] = await Promise.all(processes.map((one) => one.ready));
  return url;
}

/** The tool service first: its calls in flight still need the API, whose delay begins with that of the others. */
async function stopAll(settings: Settings, database: DatabaseKeeper, apps: Apps, signal: StopSignal): Promise<void> {
  const longest = Math.max(settings.process.drainSeconds, settings.daemon.drainSeconds);
  const grace = (shutdownDelayOf(settings) + longest) * 1000 + KILL_AFTER_MS;
  for (const app of apps.api) app.announceStop();
  for (const processes of [[...apps.tools, ...apps.daemon], apps.api])
    await Promise.all(processes.map((app) => app.stop(grace, signal.insisted)));
  await database.stop();
}
