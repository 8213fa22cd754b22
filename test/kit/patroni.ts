import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SOCKET_PORT } from '../../src/common/database/embedded/cluster-home.js';
import { FIRST_STATEMENTS, SERVER_ENV } from '../../src/common/database/embedded/initialise.js';
import { findPostmaster } from '../../src/common/database/embedded/postmaster.js';
import { chooseServerAccount, type ServerAccount } from '../../src/common/database/embedded/server-account.js';
import { migrate } from '../../src/common/database/run-migrations.js';
import { freePort } from './free-port.js';

const PATRONI = '/usr/bin/patroni';
/** The newest that Debian installed here and svc supports. */
const BIN_DIR = [18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`).find((dir) => existsSync(dir));

/** Why no failover by Patroni can be tried on this machine; undefined where it can. */
export const patroniMissing = findMissing();

/** Three, so that after the loss of one a commit still waits for another. They are the quorum as well. */
const NAMES = ['north', 'east', 'south'];

interface Ports {
  postgres: number;
  rest: number;
  raft: number;
}

/** A real PostgreSQL of three members, each under a Patroni of its own, that agree by raft. */
export class PatroniPostgres {
  private constructor(
    private readonly root: string,
    private readonly members: readonly Member[],
  ) {}

  static async start(): Promise<PatroniPostgres> {
    const root = mkdtempSync(join(realpathSync(tmpdir()), 'svc-patroni-'));
    chmodSync(root, 0o711); // for root: the servers' user may pass through
    const account = chooseServerAccount(root);
    makePrivateDir(join(root, 'primary'), account);
    const members: Member[] = [];
    for (const [name, ports] of await portsByName()) members.push(new Member(name, root, ports, account));
    const postgres = new PatroniPostgres(root, members);
    try {
      await postgres.startMembers();
      await postgres.untilRoles('primary', 'replica', 'synchronous');
      await postgres.makeDatabase();
    } catch (error) {
      const { output } = postgres;
      await postgres.stop();
      throw new Error(`Patroni did not come up:\n${output}`, { cause: error });
    }
    return postgres;
  }

  /** The owner's address of the database `svc`; it leads to whoever Patroni made the primary. */
  get url(): string {
    return this.urlOf('svc_owner', 'svc');
  }

  private get output(): string {
    return this.members.map((member) => member.output).join('\n');
  }

  /** kill -9 of the primary and of the Patroni that would start it again, as if the machine were gone. */
  async killPrimary(): Promise<void> {
    await (await this.findPrimary())!.kill('SIGKILL');
  }

  /** Those that do not run: what systemd does on a machine that is back. */
  async startMembers(): Promise<void> {
    for (const member of this.members) if (!member.isRunning) await member.start(this.members);
  }

  /** Waits until Patroni has made another member the primary. */
  async untilPromoted(): Promise<void> {
    for (let waited = 0; waited < 120_000; waited += 50) {
      if (await this.findPrimary()) return;
      await sleep(50);
    }
    throw new Error(`nobody was promoted:\n${this.output}`);
  }

  /** Waits until the members that live have these roles, in the order of the alphabet. */
  async untilRoles(...expected: string[]): Promise<void> {
    let found: (string | undefined)[] = [];
    for (let waited = 0; waited < 120_000; waited += 200) {
      found = (await Promise.all(this.members.map((member) => member.role())))
        .filter((role) => role !== undefined)
        .sort();
      if (found.join() === expected.join()) return;
      await sleep(200);
    }
    throw new Error(`the members are ${found.join()}, not ${expected.join()}:\n${this.output}`);
  }

  async stop(): Promise<void> {
    // A shutdown would wait for the standbys; SIGQUIT does not, and lets a server remove its shared memory.
    for (const member of this.members) await member.kill('SIGQUIT');
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10 }); // a walsender may write a last line
  }

  private async makeDatabase(): Promise<void> {
    const superuser = new Client({ connectionString: this.urlOf('postgres', 'postgres') });
    await superuser.connect();
    for (const sql of FIRST_STATEMENTS) await superuser.query(sql);
    await superuser.end();
    await migrate({ ownerUrl: this.url });
  }

  private async findPrimary(): Promise<Member | undefined> {
    for (const member of this.members) if (await member.is('primary')) return member;
    return undefined;
  }

  private urlOf(user: string, database: string): string {
    const host = encodeURIComponent(join(this.root, 'primary'));
    return `postgresql://${user}@/${database}?host=${host}&port=${SOCKET_PORT}`;
  }
}

/** One Patroni and the server that it starts. */
class Member {
  private child: ChildProcess | undefined;
  private readonly folder: string;

  constructor(
    readonly name: string,
    private readonly root: string,
    readonly ports: Ports,
    private readonly account: ServerAccount | undefined,
  ) {
    this.folder = join(root, name);
    for (const path of ['', 'run', 'raft']) makePrivateDir(join(this.folder, path), account);
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** What Patroni and its server said. */
  get output(): string {
    return `${this.name}:\n${existsSync(this.log) ? readFileSync(this.log, 'utf8') : ''}`;
  }

  async start(all: readonly Member[]): Promise<void> {
    const file = join(this.folder, 'patroni.yml'); // JSON is YAML
    this.place(file, JSON.stringify(this.settings(all.filter((member) => member !== this))));
    const log = openSync(this.log, 'a');
    const child = spawn(PATRONI, [file], {
      cwd: this.folder,
      env: SERVER_ENV,
      stdio: ['ignore', log, log],
      ...this.account,
    });
    closeSync(log);
    this.child = child;
    await once(child, 'spawn');
  }

  /** Whether its Patroni says yes, as a balancer asks it; one that does not live says nothing. */
  async is(role: 'primary' | 'synchronous' | 'replica'): Promise<boolean> {
    const answer = fetch(`http://127.0.0.1:${this.ports.rest}/${role}`, { signal: AbortSignal.timeout(2_000) });
    return answer.then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** What it serves as; undefined before it does, and when it does not live. A synchronous one is a replica as well. */
  async role(): Promise<string | undefined> {
    for (const role of ['primary', 'synchronous', 'replica'] as const) if (await this.is(role)) return role;
    return undefined;
  }

  /** First Patroni, which would start the server again; returns when both are gone. */
  async kill(signalOfServer: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    if (this.isRunning) {
      const ended = once(this.child!, 'exit');
      this.child!.kill('SIGKILL');
      await ended;
    }
    const data = join(this.folder, 'data');
    const server = findPostmaster(data);
    if (server) process.kill(server.pid, signalOfServer);
    while (findPostmaster(data)) await sleep(10);
  }

  private get log(): string {
    return join(this.folder, 'log');
  }

  private settings(others: Member[]) {
    const at = (port: number): string => `127.0.0.1:${port}`;
    const { rest, raft } = this.ports;
    return {
      ...{ scope: 'drill', name: this.name },
      restapi: { listen: at(rest), connect_address: at(rest) },
      raft: {
        data_dir: join(this.folder, 'raft'),
        self_addr: at(raft),
        partner_addrs: others.map(({ ports }) => at(ports.raft)),
      },
      bootstrap: { dcs: CLUSTER, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
      postgresql: this.postgresSettings(at(this.ports.postgres)),
    };
  }

  private postgresSettings(address: string) {
    const run = join(this.folder, 'run');
    const callback = `sh ${this.leadScript()} ${join(run, `.s.PGSQL.${this.ports.postgres}`)}`;
    return {
      ...{ listen: address, connect_address: address, bin_dir: BIN_DIR, data_dir: join(this.folder, 'data') },
      use_unix_socket: true,
      parameters: { unix_socket_directories: run },
      // Sockets are safe in their folders; on the loopback anybody could come.
      pg_hba: [
        'local all all trust',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
        'host all postgres 127.0.0.1/32 scram-sha-256',
      ],
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      callbacks: { on_start: callback, on_role_change: callback },
    };
  }

  /** Patroni calls it with event, role and scope after its arguments; the one that is the primary takes the address. */
  private leadScript(): string {
    const file = join(this.folder, 'lead-here');
    const address = join(this.root, 'primary', `.s.PGSQL.${SOCKET_PORT}`);
    const move = `ln -s "$1" "${address}.$$" && mv -T "${address}.$$" "${address}"`;
    this.place(file, `case $3 in master | primary) ${move} ;; esac\n`);
    return file;
  }

  private place(file: string, text: string): void {
    writeFileSync(file, text, { mode: 0o600 });
    if (this.account) chownSync(file, this.account.uid, this.account.gid);
  }
}

const PASSWORD = randomBytes(12).toString('hex');

/** As docs/fleet.md says; `ttl` is the least that newer versions of Patroni take, and ≥ loop_wait + 2 retry_timeout. */
const CLUSTER = {
  ...{ ttl: 20, loop_wait: 2, retry_timeout: 5 },
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, synchronous_commit: 'on' } },
};

async function portsByName(): Promise<Map<string, Ports>> {
  const free = new Set<number>();
  while (free.size < 3 * NAMES.length) free.add(await freePort());
  const ports = [...free];
  const next = (): number => ports.pop()!;
  return new Map(NAMES.map((name) => [name, { postgres: next(), rest: next(), raft: next() }]));
}

function makePrivateDir(path: string, account: ServerAccount | undefined): void {
  mkdirSync(path, { mode: 0o700 });
  if (account) chownSync(path, account.uid, account.gid);
}

function findMissing(): string | undefined {
  if (spawnSync(PATRONI, ['--version']).status !== 0) return 'no /usr/bin/patroni (Debian package patroni)';
  if (spawnSync('/usr/bin/python3', ['-c', 'import pysyncobj']).status !== 0)
    return 'Patroni has no raft (Debian package python3-pysyncobj)';
  return BIN_DIR ? undefined : 'no /usr/lib/postgresql/15/bin or newer (Debian package postgresql)';
}
