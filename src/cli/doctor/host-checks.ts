import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { claimPorts, type WantedPort } from '../../apps/supervisor/port.js';
import type { Settings } from '../../common/config/settings.js';
import { localUrl } from '../../common/http/bound-address.js';
import type { Check } from '../../common/health/check.js';

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
      name: 'port',
      remedy: 'Stop the other program, or set SVC_API_HOST and SVC_API_PORT.',
      run: () => checkPort({ ...settings.api, setting: 'SVC_API' }, '/build-info'),
    },
    {
      name: 'tools_port',
      remedy: 'Stop the other program, or set SVC_TOOLS_HOST and SVC_TOOLS_PORT.',
      run: () => checkPort({ ...settings.tools, setting: 'SVC_TOOLS' }, '/build-info'),
    },
    {
      name: 'daemon_port',
      remedy: 'Stop the other program, or set SVCD_HTTP_HOST and SVCD_HTTP_PORT.',
      run: () => {
        const { httpHost: host, httpPort: port } = settings.daemon;
        return checkPort({ host, port, setting: 'SVCD_HTTP' }, '/v1/version');
      },
    },
  ];
}

async function checkRuntime(): Promise<string> {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < MIN_NODE) throw new Error(`Node.js ${process.versions.node} is too old; ${MIN_NODE} is needed`);
  return `Node.js ${process.versions.node}`;
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

/** Taken by svc itself is as good as free. @param about where the app says that it is svc */
async function checkPort({ host, port, setting }: WantedPort, about: string): Promise<string> {
  if (await answersAsSvc(`${localUrl(host, port)}${about}`)) return `svc answers on ${host}, port ${port}`;
  await claimPorts([{ host, port, setting }]);
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
