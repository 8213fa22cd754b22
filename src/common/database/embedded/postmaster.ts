import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../user-error.js';
import type { ClusterHome } from './cluster-home.js';
import { SERVER_ENV } from './initialise.js';
import type { PostgresBinaries } from './platform-binaries.js';
import { markLog, reasonSince } from './server-log.js';
import { serverSettings, type ServerUse } from './server-settings.js';

/** What postmaster.pid says of a server that is alive. */
export interface Postmaster {
  readonly pid: number;
  readonly socketDir: string;
  readonly isReady: boolean;
}

const POLL_MS = 15;
const START_ATTEMPTS = 6;
const FAST_SHUTDOWN_MS = 30_000;

/**
 * The live server of `pgData`, found as pg_ctl finds it: by postmaster.pid (line 1 the pid, 5 the socket directory, 8
 * the status; PostgreSQL source, src/include/utils/pidfile.h). A pid file that outlived its server, or whose pid now is
 * another program, is none.
 */
export function findPostmaster(pgData: string): Postmaster | undefined {
  const lines = readLines(join(pgData, 'postmaster.pid'));
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !commandLine(pid).includes(pgData)) return undefined;
  return { pid, socketDir: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/**
 * The arguments of a process, '' when it is gone or a zombie. /proc/PID/cmdline is readable across users, /proc/PID/cwd
 * is not.
 */
function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * The ready server of the cluster: the running one, or a new one. PostgreSQL itself arbitrates between two starters (it
 * creates postmaster.pid exclusively): the one that loses exits, and its starter finds the winner's server.
 */
export async function ensurePostmaster(
  cluster: ClusterHome,
  binaries: PostgresBinaries,
  use: ServerUse,
): Promise<Postmaster & { adopted: boolean }> {
  let startedPid: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const running = await waitUntilReady(cluster.pgData);
    if (running) return { ...running, adopted: running.pid !== startedPid };
    const start = await startPostmaster(cluster, binaries, use);
    startedPid = start.pid;
    if (start.failure === undefined || findPostmaster(cluster.pgData)) continue;
    if (attempt === START_ATTEMPTS) {
      throw new UserError(
        `PostgreSQL does not start: ${start.failure.trim()} (its log: ${join(cluster.pgData, 'log')})`,
      );
    }
    // After a kill -9 of the server its last backends may still hold the shared memory for a moment.
    await sleep(200 * attempt);
  }
}

/** Waits while a server is alive but not ready (starting, recovering, stopping); undefined once there is none. */
async function waitUntilReady(pgData: string): Promise<Postmaster | undefined> {
  for (;;) {
    const found = findPostmaster(pgData);
    if (!found || found.isReady) return found;
    await sleep(POLL_MS);
  }
}

/**
 * Starts the server in a session of its own (a terminal's Ctrl-C must not reach it) and waits until it is ready or has
 * exited.
 */
async function startPostmaster(
  cluster: ClusterHome,
  binaries: PostgresBinaries,
  use: ServerUse,
): Promise<{ pid: number | undefined; failure?: string }> {
  const settings = Object.entries(serverSettings(cluster.socketDir, use)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const mark = markLog(cluster.pgData);
  const child = spawn(binaries.postgres, ['-D', cluster.pgData, ...settings], {
    cwd: cluster.home,
    env: SERVER_ENV,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...cluster.account,
  });
  let failure = '';
  let hasExited = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (failure += text));
  child.once('error', (error) => ((failure += error.message), (hasExited = true)));
  child.once('exit', () => (hasExited = true));
  while (!hasExited) {
    const found = findPostmaster(cluster.pgData);
    if (found?.pid === child.pid && found?.isReady) {
      // From here on the server logs through its collector; this pipe must not keep either process alive.
      child.stderr.destroy();
      child.unref();
      return { pid: child.pid };
    }
    await sleep(POLL_MS);
  }
  return { pid: child.pid, failure: reasonSince(cluster.pgData, mark) ?? failure };
}

/**
 * Fast shutdown (SIGINT: sessions are ended, a checkpoint is written), then, after 30 s, immediate shutdown (SIGQUIT:
 * the next start recovers from the log). PostgreSQL documentation, "Shutting Down the Server".
 */
export async function stopPostmaster(pgData: string): Promise<void> {
  const running = findPostmaster(pgData);
  if (!running) return;
  signal(running.pid, 'SIGINT');
  const deadline = Date.now() + FAST_SHUTDOWN_MS;
  let isImmediate = false;
  while (findPostmaster(pgData)?.pid === running.pid) {
    if (!isImmediate && Date.now() > deadline) {
      signal(running.pid, 'SIGQUIT');
      isImmediate = true;
    }
    await sleep(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
