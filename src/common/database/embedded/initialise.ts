import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../../user-error.js';
import type { ClusterHome } from './cluster-home.js';
import { isAlive } from './holders.js';
import type { PostgresBinaries } from './platform-binaries.js';

const run = promisify(execFile);

/** Followed by the pid of the starter and a random part. */
const INIT_PREFIX = 'data.init-';

/**
 * Nothing of this process's environment reaches the server: PG* variables of a user's shell would change where it runs.
 */
export const SERVER_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * The owner of the database is no superuser, so that the embedded server treats migrations and row-level security as an
 * external one would. One statement a line: the stand-alone backend reads lines.
 */
export const FIRST_STATEMENTS = [
  'create role svc_owner login createdb createrole',
  'create database svc owner svc_owner',
  'grant pg_signal_backend to svc_owner',
];

/**
 * Runs initdb once: UTF-8, the built-in C.UTF-8 locale (the same order on every machine, whatever its libc), data
 * checksums, trust on the socket. The finished cluster appears by one rename, so an interrupted first start leaves
 * nothing half made and of two starters at once one wins.
 */
export async function initialiseCluster(
  cluster: ClusterHome,
  binaries: PostgresBinaries,
  durable: boolean,
): Promise<void> {
  if (existsSync(join(cluster.pgData, 'PG_VERSION'))) return;
  removeInterrupted(cluster);
  const fresh = join(cluster.home, `${INIT_PREFIX}${process.pid}.${randomBytes(4).toString('hex')}`);
  await runServerProgram(cluster, binaries.initdb, [
    `--pgdata=${fresh}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]);
  const statements = FIRST_STATEMENTS.map((statement) => `${statement};\n`).join('');
  const singleUser = ['--single', '-D', fresh, ...(durable ? [] : ['-F']), '-c', 'exit_on_error=on', 'postgres'];
  await runServerProgram(cluster, binaries.postgres, singleUser, statements);
  try {
    renameSync(fresh, cluster.pgData);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(cluster.pgData, 'PG_VERSION'))) throw error;
  }
}

/** What starters that were killed left behind. */
function removeInterrupted({ home }: ClusterHome): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(INIT_PREFIX) || isAlive(Number(name.slice(INIT_PREFIX.length).split('.')[0]))) continue;
    rmSync(join(home, name), { recursive: true, force: true });
  }
}

async function runServerProgram(cluster: ClusterHome, program: string, args: string[], input = ''): Promise<void> {
  const running = run(program, args, { cwd: cluster.home, env: SERVER_ENV, ...cluster.account });
  running.child.stdin?.end(input);
  try {
    await running;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new UserError(`${program} failed: ${stderr.trim() || message}`, { cause: error });
  }
}
