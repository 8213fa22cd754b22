import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openClusterHome, SOCKET_PORT, type ClusterHome } from '../../src/common/database/embedded/cluster-home.js';
import { startEmbedded, type EmbeddedServer } from '../../src/common/database/embedded/embedded.js';
import { findPostmaster } from '../../src/common/database/embedded/postmaster.js';
import { SERVER_ENV } from '../../src/common/database/embedded/initialise.js';
import { findPostgresBinaries } from '../../src/common/database/embedded/platform-binaries.js';
import { loginUrl, type Role } from '../../src/common/database/connection.js';
import { migrate } from '../../src/common/database/run-migrations.js';
import type { TestDatabase } from './database.js';

const STANDBY = 'drill_standby';

/**
 * A real PostgreSQL with a real streaming standby, both of the binaries that npm brings: the standby is a copy of the
 * files (PostgreSQL manual, 25.3).
 */
export class ReplicatedPostgres {
  private standby: ChildProcess | undefined;

  private constructor(
    private readonly root: string,
    private readonly server: EmbeddedServer,
    private readonly cluster: ClusterHome,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const root = mkdtempSync(join(realpathSync(tmpdir()), 'svc-repl-'));
    chmodSync(root, 0o711); // for root: the server's user may pass through
    const dataDir = join(root, 'primary');
    const server = await startEmbedded({ dataDir, log: () => undefined });
    const pair = new ReplicatedPostgres(root, server, openClusterHome(dataDir));
    await migrate({ ownerUrl: server.url });
    await pair.copyPrimary();
    await pair.startStandby();
    return pair;
  }

  /** The primary's database `svc`. */
  get database(): TestDatabase {
    const { url } = this.server;
    const urlAs = (role: Role) => ({ connectionString: loginUrl(url, role) });
    const query = <Row extends object>(sql: string, parameters: unknown[] = []) =>
      withClient(urlAs('svc_operator'), async (client) => (await client.query<Row>(sql, parameters)).rows);
    return {
      url,
      superuserUrl: this.server.superuserUrl,
      urlAs,
      query,
      disconnect: () => Promise.resolve(),
      drop: () => Promise.resolve(),
    };
  }

  /** Statements as the superuser of the primary, each a transaction of its own that waits for no standby. */
  async asSuperuser(...statements: string[]): Promise<void> {
    const options = '-c synchronous_commit=local';
    await withClient({ connectionString: this.server.superuserUrl, options }, async (client) => {
      for (const sql of statements) await client.query(sql);
    });
  }

  /** From now on commits wait for the standby. */
  waitForStandby(): Promise<void> {
    return this.asSuperuser(`alter system set synchronous_standby_names = '${STANDBY}'`, 'select pg_reload_conf()');
  }

  waitForNobody(): Promise<void> {
    return this.asSuperuser('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
  }

  /** The standby's database `svc`, as the superuser; another role takes its place. */
  get standbyUrl(): string {
    const url = new URL(this.server.superuserUrl.replace('@/', '@unused/'));
    url.searchParams.set('host', this.privateDir('run'));
    return url.toString().replace('@unused/', '@/');
  }

  /** Where each server has its socket. */
  get socketDirs(): { primary: string; standby: string } {
    return { primary: this.server.socketDir, standby: this.privateDir('run') };
  }

  /** kill -9 of the postmaster; its sessions end with it. */
  killPrimary(): void {
    process.kill(findPostmaster(this.cluster.pgData)!.pid, 'SIGKILL');
  }

  /** One statement as the superuser of the standby; its rows. */
  asSuperuserOfStandby<Row extends object>(sql: string): Promise<Row[]> {
    return withClient({ connectionString: this.standbyUrl }, async (client) => (await client.query<Row>(sql)).rows);
  }

  async startStandby(): Promise<void> {
    const { account } = this.cluster;
    const run = this.privateDir('run');
    const settings = [
      `unix_socket_directories=${run}`,
      `port=${SOCKET_PORT}`,
      'listen_addresses=',
      'max_connections=200',
    ];
    const child = spawn(
      findPostgresBinaries(account).postgres,
      ['-D', join(this.root, 'standby'), ...settings.flatMap((setting) => ['-c', setting])],
      { cwd: run, env: SERVER_ENV, stdio: 'ignore', ...account },
    );
    this.standby = child;
    await once(child, 'spawn');
  }

  async stopStandby(): Promise<void> {
    const child = this.standby;
    this.standby = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  }

  async stop(): Promise<void> {
    await this.stopStandby();
    await this.server.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  private async copyPrimary(): Promise<void> {
    const target = join(this.root, 'standby');
    const { pgData } = this.cluster;
    await withClient({ connectionString: this.server.superuserUrl }, async (client) => {
      await client.query(`select pg_backup_start('standby', true)`);
      execFileSync('cp', ['-a', pgData, target]);
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(target, name), { force: true });
      this.place(join(target, 'backup_label'), rows[0]!.labelfile);
    });
    const from = `host=${this.server.socketDir} port=${SOCKET_PORT} user=postgres application_name=${STANDBY}`;
    this.place(join(target, 'standby.signal'), '');
    this.place(join(target, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
  }

  private place(file: string, text: string): void {
    writeFileSync(file, text, { mode: 0o600 });
    const { account } = this.cluster;
    if (account) chownSync(file, account.uid, account.gid);
  }

  private privateDir(name: string): string {
    const path = join(this.root, name);
    if (existsSync(path)) return path;
    mkdirSync(path, { mode: 0o700 });
    const { account } = this.cluster;
    if (account) chownSync(path, account.uid, account.gid);
    return path;
  }
}

async function withClient<T>(
  address: { connectionString: string; options?: string },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(address);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
