import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../config/child-environment.js';
import type { Credentials } from '../database/credentials-file.js';
import { PROGRAM } from '../program-file.js';
import { ApiFailure, type ApiAddress } from './api-client.js';

/** A busy machine of two cores took more than a minute. */
const READY_MS = 180_000;
/** Beyond the server's own drain. */
const STOP_MS = 30_000;

/** The server is isolated: settings of the environment for a database, a key or an upstream are not meant for it. */
const OWN: Record<string, string> = {
  NODE_ENV: 'development',
  SVC_DATABASE_URL: '',
  SVC_DATABASE_APP_URL: '',
  SVC_DATABASE_OPERATOR_URL: '',
  SVC_BOOTSTRAP_TENANT_ID: '',
  SVC_BOOTSTRAP_API_KEY: '',
  SVC_BOOTSTRAP_TIER: '',
  SVC_PUBLIC_URL: '',
  SVC_API_HOST: '127.0.0.1',
  SVC_API_URL: '',
  SVC_TOOLS_HOST: '127.0.0.1',
  SVC_TOOLS_PUBLIC_URL: '',
  SVC_SIGNING_KEY_FILE: '',
  SVCD_AUTH_MODE: 'dev_scopes',
  SVCD_HTTP_HOST: '127.0.0.1',
  SVCD_MCP_HOST: '127.0.0.1',
  SVCD_GRPC_HOST: '127.0.0.1',
  SVCD_MCP_PORT: '0',
  SVCD_GRPC_PORT: '0',
  SVCD_SHUTDOWN_DRAIN_SECS: '5',
  SVC_PROOF_UPSTREAM_URL: '',
  SVC_SHUTDOWN_DELAY_SECS: '0',
  SVC_SHUTDOWN_DRAIN_SECS: '5',
  SVC_LOG_LEVEL: 'warn',
  SVC_JOBS: '1',
  FEATURE_PROOFS: '1',
};

export interface TemporaryServerOptions {
  /** Environment variables that differ from this process's. */
  environment?: Record<string, string>;
  /** Arguments to Node.js itself, passed on to every process of the server. */
  nodeArguments?: string[];
  /** The main.js of another build; this one's where it is left out. */
  program?: string;
}

/** A whole svc of its own: `svc start` on an empty data directory and a free loopback port. */
export interface TemporaryServer extends ApiAddress {
  /** Origin of its tool service. */
  toolsUrl: string;
  /** Origin of its memory daemon. */
  daemonUrl: string;
  dataDir: string;
  /** Of the supervisor, below which all its processes are. */
  pid: number;
}

/**
 * Starts a server for the length of some work, and stops and removes it afterwards, also when the work fails or this
 * process gets SIGINT or SIGTERM (which then ends it).
 * @throws ApiFailure with the end of the server's log when it is not ready within READY_MS
 */
export async function withTemporaryServer<T>(
  options: TemporaryServerOptions,
  work: (server: TemporaryServer) => Promise<T>,
): Promise<T> {
  const ports = { api: await freePort(), tools: await freePort(), daemon: await freePort() };
  let launched: LaunchedServer | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= launched ? stopAndRemove(launched) : Promise.resolve());
  const end = (signal: NodeJS.Signals): void =>
    void stop().finally(() => process.exit(128 + constants.signals[signal]));
  // However this process ends, short of SIGKILL, the server is signalled to end too.
  const abandon = (): void => void launched?.child.kill('SIGTERM');
  // Before the server is there: a signal must never meet a server without anyone who would stop it.
  process.once('SIGINT', end).once('SIGTERM', end).once('exit', abandon);
  try {
    launched = launch(options, ports);
    const { url, toolsUrl, daemonUrl, dataDir, child } = launched;
    await untilReady(url, child, dataDir);
    await untilReady(toolsUrl, child, dataDir);
    await untilReady(daemonUrl, child, dataDir);
    return await work({ url, toolsUrl, daemonUrl, dataDir, pid: child.pid!, ...readTenant(dataDir) });
  } finally {
    await stop();
    process.off('SIGINT', end).off('SIGTERM', end).off('exit', abandon);
  }
}

interface LaunchedServer {
  url: string;
  toolsUrl: string;
  daemonUrl: string;
  dataDir: string;
  child: ChildProcess;
}

const stopAndRemove = ({ child, dataDir }: LaunchedServer): Promise<void> =>
  stopServer(child).finally(() => removeDataDir(dataDir));

function launch(
  { environment, nodeArguments = [], program = PROGRAM }: TemporaryServerOptions,
  ports: { api: number; tools: number; daemon: number },
): LaunchedServer {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-temporary-'));
  chmodSync(dataDir, 0o711); // the unprivileged user that PostgreSQL runs as under root must be able to enter
  const log = openSync(join(dataDir, 'server.log'), 'a');
  const child = spawn(process.execPath, [...nodeArguments, program, 'start'], {
    env: childEnvironment({
      ...OWN,
      SVC_DATA_DIR: dataDir,
      SVC_API_PORT: String(ports.api),
      SVC_TOOLS_PORT: String(ports.tools),
      SVCD_HTTP_PORT: String(ports.daemon),
      ...environment,
    }),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const [url, toolsUrl, daemonUrl] = [ports.api, ports.tools, ports.daemon].map(
    (port) => `http://127.0.0.1:${port}`,
  ) as [string, string, string];
  return { url, toolsUrl, daemonUrl, dataDir, child };
}

function readTenant(dataDir: string): { tenantId: string; apiKey: string } {
  const text = readFileSync(join(dataDir, 'credentials.json'), 'utf8');
  const { tenant_id: tenantId, api_key: apiKey } = JSON.parse(text) as Credentials;
  return { tenantId, apiKey };
}

/** A loopback port that nobody listens at just now; somebody else may take it before it is used. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function untilReady(url: string, child: ChildProcess, dataDir: string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  let last = 'no answer';
  while (performance.now() < deadline && isRunning(child)) {
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) });
      const body = await response.text();
      if (response.ok) return;
      last = body;
    } catch {
      last = 'no answer';
    }
    await sleep(100);
  }
  const log = readFileSync(join(dataDir, 'server.log'), 'utf8').trimEnd().split('\n').slice(-20).join('\n');
  const what = isRunning(child)
    ? `was not ready within ${READY_MS / 1000} s (/readyz: ${last})`
    : 'ended while it started';
  throw new ApiFailure(0, `The temporary server ${what}. The end of its log:\n${log}`);
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

async function stopServer(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

/** Under root the cluster may lie elsewhere, with a link to it in the data directory. */
function removeDataDir(dataDir: string): void {
  try {
    rmSync(realpathSync(join(dataDir, 'postgres')), { recursive: true, force: true });
  } catch {
    // it never came to a database
  }
  rmSync(dataDir, { recursive: true, force: true });
}
