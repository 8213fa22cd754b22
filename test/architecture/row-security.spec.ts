import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNSECURED_TABLES } from '../../src/common/database/unsecured-tables.js';
import { send, startApi, type TestApi, type TestTenant } from '../kit/app.js';

let api: TestApi;
let application: Client;
beforeAll(async () => {
  api = await startApi();
  await fill(api.tenant, 'owner_only');
  await fill(await api.addTenant('open'), 'public_safe');
  application = new Client(api.database.urlAs('svc_app'));
  await application.connect();
}, 60_000);
afterAll(async () => {
  await application.end();
  await api.close();
});

/** Leaves rows in as many tables as one job does: a document, an audited retrieval, an answer and its proof. */
async function fill({ tenantId, call }: TestTenant, shareability: string): Promise<void> {
  const document = {
    tenantId,
    corpusId: 'c',
    docId: 'd',
    title: 'T',
    content: `Wombats of ${tenantId}.`,
    url: 'https://example.org/',
    shareability,
  };
  const settle = async (path: string) => {
    while (['queued', 'processing', 'running'].includes((await call('GET', path)).body.status)) await sleep(50);
  };
  await settle(`/v1/ingest/${(await call('POST', '/v1/ingest', document)).body.ingestId}`);
  const query = { query: 'wombats', lane: 'audit', includeCommons: false };
  const { chunkId } = (await call('POST', '/v1/retrieve', query)).body.results[0];
  const citation = { agentId: 'a', answerId: 'answer', idempotencyKey: 'the-citation', citations: [{ chunkId }] };
  await call('POST', '/v1/citations', citation, { 'x-idempotency-key': '' });
  await settle(
    `/v1/proof/jobs/${(await call('POST', '/v1/proof/jobs', { mode: 'audit', answerId: 'answer' })).body.jobId}`,
  );
}

const TENANT_TABLES = `
  select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`;

describe('row-level security', () => {
  it('is forced on every table with a tenant_id', async () => {
    expect(await api.database.query(UNSECURED_TABLES)).toEqual([]);
    expect((await api.database.query<{ name: string }>(TENANT_TABLES)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['api_key', 'idempotent_request', 'tenant']),
    );
  });

  it('tenant_id leads every primary key and unique index of those tables', async () => {
    const rows = await api.database.query<{ index: string }>(`
      select i.indexrelid::regclass::text as index from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and i.indisunique and i.indkey[0] <> a.attnum`);
    expect(rows).toEqual([]);
  });

  it('a foreign key between tables of tenants stays within the tenant, but for three', async () => {
    const rows = await api.database.query<{ key: string }>(`
      select f.conrelid::regclass || ' ' || pg_get_constraintdef(f.oid) as key from pg_constraint f
      join pg_attribute a on a.attrelid = f.conrelid and a.attname = 'tenant_id' and not a.attisdropped
      where f.contype = 'f' and f.connamespace = 'public'::regnamespace and a.attnum <> all(f.conkey) order by 1`);
    expect(rows.map(({ key }) => key)).toEqual([
      'agent FOREIGN KEY (sponsor_tenant_id) REFERENCES tenant(tenant_id)',
      'erasure FOREIGN KEY (scrub_id) REFERENCES scrub(scrub_id)',
      'peer_log_peer FOREIGN KEY (log_id) REFERENCES peer_log(log_id)',
    ]);
  });

  it('shows the application role nothing while no tenant is set', async () => {
    const tables = await api.database.query<{ name: string }>(TENANT_TABLES);
    for (const { name } of tables) {
      for (const setting of ['reset svc.tenant_id', `set svc.tenant_id = ''`]) {
        await application.query(setting);
        expect([name, (await application.query(`select * from ${name} limit 1`)).rowCount]).toEqual([name, 0]);
      }
    }
  });

  it('shows a tenant nothing of what another keeps to itself, and the filled tables are filled', async () => {
    await application.query(`set svc.tenant_id = 'umbrella'`);
    const filled: string[] = [];
    for (const { name } of await api.database.query<{ name: string }>(TENANT_TABLES)) {
      const rows = await api.database.query(`select from ${name} where tenant_id = 'acme' limit 1`);
      if (rows.length > 0) filled.push(name);
      expect([
        name,
        (await application.query(`select from ${name} where tenant_id = 'acme' limit 1`)).rowCount,
      ]).toEqual([name, 0]);
    }
    expect(filled).toEqual(
      expect.arrayContaining([
        'answer',
        'chunk',
        'citation',
        'document',
        'index_posting',
        'index_segment',
        'index_shard',
        'ingest',
        'receipt',
        'retrieval',
      ]),
    );
  });

  it('refuses the application role a row for another tenant', async () => {
    await application.query(`set svc.tenant_id = 'acme'`);
    await expect(application.query(`insert into tenant (tenant_id, tier) values ('intruder', 'free')`)).rejects.toThrow(
      /row-level security/,
    );
    expect((await application.query(`update tenant set tier = 'free' where tenant_id <> 'acme'`)).rowCount).toBe(0);
  });

  it('leaves both roles without ownership and without the right to bypass it', async () => {
    const roles = await api.database.query(`
      select rolname, rolsuper, rolbypassrls, (select count(*)::int from pg_class where relowner = r.oid) as owned
      from pg_roles r where rolname in ('svc_app', 'svc_operator') order by 1`);
    expect(roles).toEqual(
      ['svc_app', 'svc_operator'].map((rolname) => ({ rolname, rolsuper: false, rolbypassrls: false, owned: 0 })),
    );
  });

  it('readiness turns red when a policy is dropped, and heals', async () => {
    const owner = new Client({ connectionString: api.database.url });
    await owner.connect();
    await owner.query('alter table api_key no force row level security');
    const red = await send(api.url, 'GET', '/readyz');
    await owner.query('alter table api_key force row level security');
    await owner.end();
    expect([red.status, red.body.checks.readyz]).toEqual([
      503,
      { status: 'fail', reason: 'row_security: row-level security is not forced on api_key' },
    ]);
    expect((await send(api.url, 'GET', '/readyz')).status).toBe(200);
  });
});
