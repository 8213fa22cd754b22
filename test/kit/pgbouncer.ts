import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SERVER_ENV } from '../../src/common/database/embedded/initialise.js';
import { freePort } from './free-port.js';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
);

/** Whether this machine has the pooler (Debian package `pgbouncer`). */
export const hasPgBouncer = PROGRAM !== undefined;

export interface PoolerOptions {
  mode: 'session' | 'transaction';
  /** Everybody is logged in as this role, whatever the client says. */
  forcedUser?: string;
  /** Sessions of the server that all connections of a login share. */
  poolSize?: number;
}

/** A real PgBouncer in front of a server on a unix socket; any role may log in. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
    private readonly database: string,
  ) {}

  /** @param url of a database on a unix socket, `postgresql://user@/name?host=...` */
  static async start(url: string, options: PoolerOptions): Promise<PgBouncer> {
    const [, database = ''] = /@\/([^?]*)/.exec(url) ?? [];
    const socketDir = new URLSearchParams(url.slice(url.indexOf('?'))).get('host') ?? '';
    const { uid, gid } = statSync(socketDir);
    const folder = mkdtempSync(join(tmpdir(), 'svc-pgbouncer-'));
    chownSync(folder, uid, gid);
    const port = await freePort();
    const users = ['svc_app', 'svc_operator', 'svc_owner'].map((name) => `"${name}" ""\n`);
    writeFileSync(join(folder, 'users.txt'), users.join(''));
    writeFileSync(join(folder, 'pgbouncer.ini'), settings({ ...options, socketDir, port, folder }));
    const child = spawn(PROGRAM!, [join(folder, 'pgbouncer.ini')], { env: SERVER_ENV, stdio: 'ignore', uid, gid });
    const pooler = new PgBouncer(child, folder, port, database);
    await pooler.untilUp();
    return pooler;
  }

  urlAs(role: string): string {
    return `postgresql://${role}@127.0.0.1:${this.port}/${this.database}`;
  }

  async stop(): Promise<void> {
    const ended = this.child.exitCode === null ? once(this.child, 'exit') : undefined;
    this.child.kill('SIGINT');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async untilUp(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const client = new Client(this.urlAs('svc_app'));
      try {
        await client.connect();
        return await client.end();
      } catch (error) {
        if (attempt > 100 || this.child.exitCode !== null) throw error;
        await sleep(50);
      }
    }
  }
}

/**
 * As an operator would write it who follows an error message: start-up parameters that the pooler does not know are
 * dropped.
 */
const settings = ({
  mode,
  forcedUser,
  poolSize = 60,
  socketDir,
  port,
  folder,
}: PoolerOptions & Record<string, string | number | undefined>) => `
[databases]
* = host=${socketDir} port=5432 ${forcedUser ? `user=${forcedUser}` : ''}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = ${mode}
ignore_startup_parameters = options
default_pool_size = ${poolSize}
max_client_conn = 200
`;
