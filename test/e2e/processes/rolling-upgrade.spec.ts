import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';
import { documentOf } from '../../medium/ingest/given.js';
import { Balancer, type Sent } from './balancer.js';
import { until } from './svc-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DELAY = { SVC_SHUTDOWN_DELAY_SECS: '3' };

/** What a release after this one would add. */
const EXPAND = {
  name: 'Expand1899000000000',
  sql: `alter table document add column mood text not null default 'calm'; create table added (id int primary key)`,
};
/** What the one after that would take away: this program does not know the migration that it asks for. */
const CONTRACT = {
  name: 'Contract1899100000000',
  sql: `alter table document drop column mood; update schema_compatibility set oldest_program = 1899000000000`,
};

let folder: string;
let database: TestDatabase;
let headers: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-'));
  database = await freshDatabase();
  const made = await TenantsStore.using({ ownerUrl: database.url }, (store) => store.createTenant('acme', 'team'));
  headers = { 'x-api-key': made!.key.apiKey, 'x-tenant-id': 'acme', 'content-type': 'application/json' };
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** This build with migrations more: a newer release as far as the schema goes. @returns its program */
function releaseWith(name: string, ...migrations: { name: string; sql: string }[]): string {
  const root = join(folder, name);
  mkdirSync(root);
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const added = migrations.map(
    (one) =>
      `class ${one.name} { name = '${one.name}'; up(runner) { return runner.query(${JSON.stringify(one.sql)}); } down() {} },`,
  );
  addToMigrations(join(root, 'dist', 'lib'), added.join('\n'));
  return join(root, 'dist', 'main.js');
}

function addToMigrations(folder: string, classes: string): void {
  const list = 'const MIGRATIONS = [';
  const chunks = globSync('*.js', { cwd: folder }).map((name) => join(folder, name));
  const chunk = chunks.find((file) => readFileSync(file, 'utf8').includes(list))!;
  writeFileSync(
    chunk,
    readFileSync(chunk, 'utf8').replace(list, () => `${list}\n${classes}`),
  );
}

const migrateWith = (program: string) =>
  promisify(execFile)(process.execPath, [program, 'migrate'], {
    env: { PATH: process.env['PATH'], SVC_DATABASE_URL: database.url, SVC_DATA_DIR: join(folder, 'migrate') },
  });

/** Writes and reads in turn, each write a document of its own. */
function traffic(): () => Sent {
  let n = 0;
  return () => {
    n += 1;
    if (n % 3 === 0) return { path: '/v1/documents', headers };
    if (n % 3 === 1) {
      const body = JSON.stringify({ query: 'harbour', lane: 'light' });
      return { method: 'POST', path: '/v1/retrieve', headers, body };
    }
    const body = JSON.stringify(documentOf({ tenantId: 'acme' }, { docId: `d${n}` }));
    return {
      method: 'POST',
      path: '/v1/ingest',
      headers: { ...headers, 'x-idempotency-key': crypto.randomUUID() },
      body,
    };
  };
}

it(
  'an upgrade without a stop: old and new processes work side by side until the schema no longer takes the old',
  {
    timeout: 600_000,
  },
  async () => {
    const newProgram = releaseWith('expanding', EXPAND);
    const at = (name: string, program?: string) =>
      ServerProcess.at(database.url, join(folder, name), DELAY, 'api', program);
    const [first, second, replacement] = await Promise.all([at('one'), at('two'), at('three', newProgram)]);
    const fleet = [first, second, replacement];
    await first.start();
    await second.start();
    const balancer = new Balancer(
      fleet.map(({ url }) => url),
      traffic(),
      6,
    );
    try {
      await until('traffic', () => balancer.answered > 50);
      expect((await migrateWith(newProgram)).stdout).toContain(EXPAND.name);
      await replacement.start();
      // A node that is lost in the middle of it: the old version comes up again.
      await second.stop('SIGTERM');
      await second.start();
      await until('all in service', () => fleet.every(({ url }) => balancer.isReady(url)));
      const answered = balancer.answered;
      await until('traffic on all', () => balancer.answered > answered + 100);
      expect((await send(first.url, 'GET', '/readyz')).body.checks.readyz.reason).toContain(
        `does not know ${EXPAND.name}; the schema takes this process`,
      );
      expect((await migrateWith(PROGRAM)).stdout).toContain('Nothing to migrate');
      await first.stop('SIGTERM');
      expect([balancer.failures, balancer.isReady(second.url)]).toEqual([[], true]);
      await refusesTheOld(second, replacement);
    } finally {
      await balancer.stop();
      for (const one of fleet) await one.stop('SIGKILL');
    }
  },
);

/** The release after: it takes away what only the old one would miss. */
async function refusesTheOld(old: ServerProcess, replacement: ServerProcess): Promise<void> {
  expect((await migrateWith(releaseWith('contracting', EXPAND, CONTRACT))).stdout).toContain(CONTRACT.name);
  await until('unreadiness', async () => (await send(old.url, 'GET', '/readyz')).status === 503);
  const said = /does not know Expand\d+, Contract\d+; the schema takes programs from migration 1899000000000 on/;
  expect((await send(old.url, 'GET', '/readyz')).body.checks.readyz.reason).toMatch(said);
  expect((await send(replacement.url, 'GET', '/readyz')).status).toBe(200);
  await old.stop('SIGTERM');
  await expect(old.start()).rejects.toThrow(said);
}
