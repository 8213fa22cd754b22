import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { claimPorts } from '../../apps/supervisor/port.js';
import { authModeToStartIn } from '../../common/bearer-auth/start-rules.js';
import { AUTH_MODES } from '../../common/config/daemon/auth-mode.js';
import type { Settings } from '../../common/config/settings.js';
import { wantedPorts, type WantedPort } from '../../common/config/wanted-ports.js';
import { localUrl } from '../../common/http/bound-address.js';
import type { Check } from '../../common/health/check.js';
import { Advice } from './examine.js';

const MIN_NODE = 24;
const MIN_FREE_BYTES = 1024 ** 3;

/** What svc needs of the machine. */
export function hostChecks(settings: Settings): Check[] {
  return [
    {
      name: 'runtime',
      remedy: 'Use the pinned Node.js: node_modules/.bin/node dist/main.js, or "npm rebuild node" when it is missing.',
      run: checkRuntime,
    },
    {
      name: 'data_dir',
      remedy: 'Free space, or set SVC_DATA_DIR to a directory this user may write to.',
      run: () => checkDataDir(settings.process.dataDir),
    },
    {
      name: 'named_files',
      remedy: 'Mend what the variable names, or the variable; docs/env.md describes it.',
      run: async () => (await import('./named-files.js')).checkNamedFiles(settings),
    },
    { name: 'auth_mode', run: () => checkAuthMode(settings) },
    ...portChecks(settings),
  ];
}

/** The check of each port, and where the app that binds it says that it is svc. */
const PORTS: Record<WantedPort['setting'], { name: string; app: WantedPort['setting']; about: string }> = {
  SVC_API: { name: 'port', app: 'SVC_API', about: '/build-info' },
  SVC_TOOLS: { name: 'tools_port', app: 'SVC_TOOLS', about: '/build-info' },
  SVCD_HTTP: { name: 'daemon_port', app: 'SVCD_HTTP', about: '/v1/version' },
  SVCD_MCP: { name: 'daemon_mcp_port', app: 'SVCD_HTTP', about: '/v1/version' },
  SVCD_GRPC: { name: 'daemon_grpc_port', app: 'SVCD_HTTP', about: '/v1/version' },
};

function portChecks(settings: Settings): Check[] {
  const ports = wantedPorts(settings);
  return ports.map((wanted) => {
    const { name, app, about } = PORTS[wanted.setting];
    const { host, port } = ports.find(({ setting }) => setting === app)!;
    return {
      name,
      remedy: `Stop the other program, or set ${wanted.setting}_HOST and ${wanted.setting}_PORT.`,
      run: () => checkPort(wanted, `${localUrl(host, port)}${about}`),
    };
  });
}

async function checkRuntime(): Promise<string> {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < MIN_NODE) throw new Error(`Node.js ${process.versions.node} is too old; ${MIN_NODE} is needed`);
  return `Node.js ${process.versions.node}`;
}

/** A machine may run the other apps alone. */
async function checkAuthMode(settings: Settings): Promise<string> {
  if (settings.daemon.authMode !== undefined) return authModeToStartIn(settings);
  const remedy = `Set it to one of ${AUTH_MODES.join(', ')}: docs/daemon-auth.md.`;
  throw new Advice('SVCD_AUTH_MODE is not set; "svc start" and "svc start daemon" do not start without it', remedy);
}

async function checkDataDir(dataDir: string): Promise<string> {
  const present = nearestPresent(dataDir);
  await access(present, constants.W_OK | constants.X_OK);
  const { bavail, bsize } = await statfs(present);
  const mib = Math.floor((bavail * bsize) / 1024 ** 2);
  if (bavail * bsize < MIN_FREE_BYTES) throw new Error(`${dataDir} has only ${mib} MiB free`);
  return `${dataDir} is writable${present === dataDir ? '' : ' once made'}, ${mib} MiB free`;
}

function nearestPresent(path: string): string {
  return existsSync(path) ? path : nearestPresent(dirname(path));
}

/** Taken by svc itself is as good as free. @param about where its app says that it is svc */
async function checkPort(wanted: WantedPort, about: string): Promise<string> {
  const { host, port } = wanted;
  if (await answersAsSvc(about)) return `svc answers on ${host}, port ${port}`;
  await claimPorts([wanted]);
  return `port ${port} of ${host} is free`;
}

async function answersAsSvc(url: string): Promise<boolean> {
  try {
    const info = (await (await fetch(url, { signal: AbortSignal.timeout(2000) })).json()) as { service?: unknown };
    return info.service === 'svc';
  } catch {
    return false;
  }
}
