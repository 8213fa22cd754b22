import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { inject } from 'vitest';
import { loginUrl, type Role } from '../../src/common/database/connection.js';
import { migrate } from '../../src/common/database/run-migrations.js';

export interface TestDatabase {
  /** As the owner, who is no member of the two roles: under forced row-level security he sees no tenant's rows. */
  url: string;
  /** Bypasses row-level security, as an operator with direct access to the database does. */
  superuserUrl: string;
  /** The same database as another role, for looking past or through row-level security. */
  urlAs(role: Role): { connectionString: string };
  /** One statement as the owner of nothing: role svc_operator, who sees every tenant. */
  query<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Ends the connections that `query` keeps; the next one opens others. */
  disconnect(): Promise<void>;
  drop(): Promise<void>;
}

/** A migrated database of its own, cloned from a template that is made once for the migrations as they are. */
export async function freshDatabase(): Promise<TestDatabase> {
  return cloneOf(await ensureTemplate());
}

/** A copy of a database that nobody else is connected to. */
export async function copyOf({ url, disconnect }: TestDatabase): Promise<TestDatabase> {
  await disconnect();
  return cloneOf(/^postgres(?:ql)?:\/\/[^/]*\/([^?]*)/.exec(url)![1]!);
}

async function cloneOf(template: string): Promise<TestDatabase> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  // Block by block through the buffers, which is the default, takes ten times as long.
  await asAdmin((admin) => admin.query(`create database ${name} template ${template} strategy file_copy`));
  const url = databaseUrl(name);
  const urlAs = (role: Role) => ({ connectionString: loginUrl(url, role) });
  const connections = new KeptConnections(urlAs('svc_operator'));
  return {
    url,
    superuserUrl: databaseUrl(name, inject('superuserUrl')),
    urlAs,
    query: async <Row extends object>(sql: string, parameters: unknown[] = []) =>
      (await connections.query<Row>(sql, parameters)).rows,
    disconnect: () => connections.end(),
    drop: async () => {
      await connections.end();
      await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Connections are kept: to open one costs the server more than most statements. */
class KeptConnections {
  private pool: Pool | undefined;

  constructor(private readonly address: { connectionString: string }) {}

  query<Row extends object>(sql: string, parameters: unknown[]): Promise<{ rows: Row[] }> {
    this.pool ??= this.open();
    return this.pool.query<Row>(sql, parameters);
  }

  async end(): Promise<void> {
    const { pool } = this;
    this.pool = undefined;
    await pool?.end();
  }

  private open(): Pool {
    const pool = new Pool({ ...this.address, allowExitOnIdle: true });
    // A server that was stopped, or a connection that a test ended: the next query opens another one.
    pool.on('error', () => undefined);
    return pool;
  }
}

/** An empty database, not migrated. */
export async function emptyDatabase(): Promise<Pick<TestDatabase, 'url' | 'superuserUrl' | 'drop'>> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.query(`create database ${name}`));
  return {
    url: databaseUrl(name),
    superuserUrl: databaseUrl(name, inject('superuserUrl')),
    drop: () => asAdmin(async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`))),
  };
}

async function ensureTemplate(): Promise<string> {
  const name = `svc_template_${digestOfSchema()}`;
  await asAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock(72)'); // test files run in parallel; one makes it
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    await admin.query(`create database ${name}_making`);
    await migrate({ ownerUrl: databaseUrl(`${name}_making`) });
    await admin.query(`alter database ${name}_making rename to ${name}`);
  });
  return name;
}

/** Everything the schema depends on: the migrations, and the job queues with their library. */
function digestOfSchema(): string {
  const source = join(import.meta.dirname, '../../src');
  const migrations = globSync('migrations/**/*.{ts,sql}', { cwd: source }).map((file) => join(source, file));
  const hash = createHash('sha256');
  for (const file of [
    ...migrations.sort(),
    join(source, 'common/jobs/queues.ts'),
    join(source, 'common/database/run-migrations.ts'),
  ])
    hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

async function asAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: inject('adminUrl') });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

const databaseUrl = (name: string, server = inject('adminUrl')): string =>
  server.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);

/** One statement past row-level security and every right: for rows that another module would write. */
export async function asSuperuser<Row extends object>({ superuserUrl }: TestDatabase, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
