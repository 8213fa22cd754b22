import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { send } from '../../kit/app.js';
import { ALL_SCOPES, createTenants } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';

export const TENANT = 'acme';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A daemon with a database and keys of its own, in a process of its own, and the command line of its machine. */
export class Site {
  private constructor(
    readonly database: TestDatabase,
    readonly folder: string,
    readonly daemon: ServerProcess,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Site> {
    const database = await freshDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'svc-site-'));
    await createTenants(database, [TENANT]);
    const settings = {
      ...{ SVC_SIGNING_KEY_FILE: '', SVCD_SYNC_MUTUAL_AUTH: '1', SVCD_FEATURE_LEGAL_HOLD: '1' },
      ...{ SVC_MEMORY_IMPORT: '1' },
      ...env,
    };
    const daemon = await ServerProcess.at(database.url, folder, settings, 'daemon');
    await daemon.start();
    return new Site(database, folder, daemon);
  }

  async close(): Promise<void> {
    await this.daemon.stop('SIGKILL');
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @throws Error unless it is done */
  async ok<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': TENANT };
    const answer = await send(this.daemon.url, method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  fact = (entity: string, key: string, value: string): Promise<unknown> =>
    this.ok('PUT', '/v1/facts', { entity, key, value });

  async factsOf(entity: string): Promise<{ fact_id: string; key: string; value: string }[]> {
    return (await this.ok<{ facts: never[] }>('GET', `/v1/facts?entity=${encodeURIComponent(entity)}`)).facts;
  }

  async valueOf(entity: string, key: string): Promise<string | undefined> {
    return (await this.factsOf(entity)).find((fact) => fact.key === key)?.value;
  }

  async forget(entity: string, key: string): Promise<void> {
    const { fact_id } = (await this.factsOf(entity)).find((fact) => fact.key === key)!;
    await this.ok('DELETE', `/v1/facts/${fact_id}`);
  }

  /** Rows of facts as a machine would have imported them. */
  async import(entity: string, count: number, value: (n: number) => string): Promise<void> {
    for (let from = 0; from < count; from += 500) {
      const facts = Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
        ...{ entity, key: `fact ${from + i}`, value: value(from + i) },
      }));
      await this.ok('POST', '/v1/memory/import', { tenant_id: TENANT, pack: { schema: 'svc.pack/1', facts } });
    }
  }

  start(...args: string[]): ChildProcess {
    const env = {
      ...{ PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', SVC_SIGNING_KEY_FILE: '' },
      ...{ SVC_DATA_DIR: this.folder, SVC_DATABASE_URL: this.database.url },
    };
    return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async run(...args: string[]): Promise<Ended> {
    const child = this.start(...args);
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, stdout, stderr };
  }

  /** `--json`, where it ends with 0. */
  async json<T = any>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${stdout} ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async key(): Promise<string> {
    return (await this.json<{ public_key: string }>('peer', 'key')).public_key;
  }

  sync = (way: 'pull' | 'push', peer: string): Promise<Exchange> => this.json('sync', way, peer, '--tenant', TENANT);
}

export interface Exchange {
  state: string;
  requests: number;
  counts: Record<string, number>;
  unapplied: { verdict: string; id: string[] }[];
  collections: { collection: string; state: string; source_root: string; target_root: string }[];
  receipt_id: string | null;
}

/** Adds each to the other; `url` is where the first reaches the second. */
export async function introduce(
  [a, nameOfA]: [Site, string],
  [b, nameOfB]: [Site, string],
  options: { prefix?: string; url?: string } = {},
): Promise<void> {
  const rights = ['--tenant', TENANT, '--direction', 'both', '--prefix', options.prefix ?? '*'];
  const url = options.url ?? b.daemon.url;
  await a.json('peer', 'add', nameOfB, ...rights, '--key', await b.key(), '--url', url);
  await b.json('peer', 'add', nameOfA, ...rights, '--key', await a.key(), '--url', a.daemon.url);
}
