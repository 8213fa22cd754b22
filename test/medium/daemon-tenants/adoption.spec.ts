import { DataSource } from 'typeorm';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/common/database/run-migrations.js';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { emptyDatabase } from '../../kit/database.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { givenDocument, retrieve } from '../citations/given.js';

let api: TestApi;
let daemon: TestDaemon;
const store = <T>(work: (store: TenantsStore) => Promise<T>) =>
  TenantsStore.using({ ownerUrl: api.database.url }, work);
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const remember = (tenant: string) =>
  daemon
    .as({ scopes: 'facts:write', tenant })('PUT', '/v1/facts', { entity: 'office', key: 'city', value: 'Lisbon' })
    .then(({ status }) => expect(status).toBe(201));

/**
 * As if its data had been stored by a version that registered nobody: every row that refers to the tenant's is taken
 * away with it.
 */
async function forget(tenant: string): Promise<void> {
  const referring = await api.database.query<{ name: string }>(
    `select distinct conrelid::regclass::text as name from pg_constraint 
     where contype = 'f' and confrelid = 'tenant'::regclass and conrelid <> 'registered_tenant'::regclass`,
  );
  for (const { name } of referring) {
    const rows = await api.database.query(`select from ${name} where tenant_id = $1 limit 1`, [tenant]);
    if (rows.length > 0) await api.database.query(`delete from ${name} where tenant_id = $1`, [tenant]);
  }
  await api.database.query('delete from tenant where tenant_id = $1', [tenant]);
}

describe('a name that holds data', () => {
  it.each([
    ['of a first write', async () => undefined],
    ['of a version that registered nobody', forget],
  ])('%s is given to nobody who does not adopt it', async (how, then) => {
    const tenant = how.replaceAll(' ', '-');
    await remember(tenant);
    await then(tenant);
    expect(await store((tenants) => tenants.createTenant(tenant, 'team'))).toBeUndefined();
    const made = await store((tenants) => tenants.createTenant(tenant, 'team', { adopt: true }));
    expect(await store((tenants) => tenants.findTenant(tenant))).toMatchObject({ tier: 'team', implicit: false });
    const call = caller(api.url, tenant, made!.key.apiKey);
    const events = async () => (await call('GET', '/v1/events?kind=fact.*')).body.events as unknown[];
    await expect.poll(events, { timeout: 20_000 }).toHaveLength(1);
    expect(await store((tenants) => tenants.createTenant(tenant, 'free', { adopt: true }))).toBeUndefined();
    expect(await store((tenants) => tenants.findTenant(tenant))).toMatchObject({ tier: 'team', implicit: false });
  });

  it('is no empty database, and does not keep the first tenant from being made', async () => {
    const second = await startDaemon();
    const tenants = <T>(work: (store: TenantsStore) => Promise<T>) =>
      TenantsStore.using({ ownerUrl: second.database.url }, work);
    try {
      expect((await second.call('PUT', '/v1/entities/note/one', { payload: {} })).status).toBe(200);
      expect(await tenants((one) => one.listTenants())).toMatchObject([
        { tenant_id: 'default', tier: 'free', implicit: true },
      ]);
      expect(await tenants((one) => one.isEmpty())).toBe(true);
      const made = await tenants((one) => one.createTenant('default', 'team', { adopt: true }));
      expect(made?.key.apiKey).toMatch(/^svc_key_/);
      expect(await tenants((one) => one.isEmpty())).toBe(false);
    } finally {
      await second.close();
    }
  });
});

describe('the commons', () => {
  let reader: TestTenant;
  let publisher: TestTenant;
  beforeAll(async () => {
    reader = await api.addTenant('reader');
    publisher = await api.addTenant('publisher');
    await givenDocument(publisher, { text: 'Axolotls regrow their limbs.', shareability: 'public_safe' });
    await givenDocument(publisher, {
      ...{ text: 'Narwhals have one tusk.', corpusId: 'sold', docId: 'tusk' },
      shareability: 'entitled_only',
    });
    await api.database.query(
      `insert into entitlement (tenant_id, publisher_tenant_id, corpus_id) values ('reader', 'publisher', 'sold')`,
    );
  });

  const found = async (query: string): Promise<string[]> =>
    (await reader.call('POST', '/v1/retrieve', { query })).body.results.map((one: { docId: string }) => one.docId);
  const cite = async (chunkId: string): Promise<number> => {
    const [answerId, idempotencyKey] = [crypto.randomUUID(), crypto.randomUUID()];
    const body = { agentId: 'a', answerId, idempotencyKey, citations: [{ chunkId }] };
    return (await reader.call('POST', '/v1/citations', body, { 'x-idempotency-key': '' })).status;
  };

  it('show the texts of registered tenants alone, and so do what is bought and citations', async () => {
    const chunks = [(await retrieve(reader, 'axolotls'))[0].chunkId, (await retrieve(reader, 'narwhals'))[0].chunkId];
    expect(await Promise.all(chunks.map(cite))).toEqual([201, 201]);
    await forget('publisher');
    expect([await found('axolotls'), await found('narwhals')]).toEqual([[], []]);
    expect((await Promise.all(chunks.map(cite))).filter((status) => status < 400)).toEqual([]);

    const made = await store((tenants) => tenants.createTenant('publisher', 'team', { adopt: true }));
    expect([await found('axolotls'), await found('narwhals')]).toEqual([['leave'], ['tusk']]);
    const own = { ...publisher, call: caller(api.url, 'publisher', made!.key.apiKey) };
    expect((await retrieve(own, 'axolotls'))[0].source).toBe('tenant');
  });
});

describe('the migration', () => {
  it('registers every tenant with data of the daemon as implicit, so that it stays readable', async () => {
    const database = await emptyDatabase();
    const superuser = new Client({ connectionString: database.superuserUrl });
    try {
      const name = 'RegisterTenants1795400500000';
      const before = MIGRATIONS.slice(
        0,
        MIGRATIONS.findIndex((one) => one.name === name),
      );
      const source = await new DataSource({
        type: 'postgres',
        url: database.url,
        migrations: before,
        migrationsTableName: 'migration',
      }).initialize();
      await source.runMigrations({ transaction: 'each' });
      await source.destroy();
      await superuser.connect();
      await superuser.query(`
        insert into tenant (tenant_id, tier) values ('created', 'pro');
        insert into fact_head (tenant_id, chain, owner, visibility, entity, version, seq, stored_at, records)
          select t, sha256(t::bytea), '', 0, 'e', 1, n, now(), 1 from unnest(array['created', 'facts', 'both']) with ordinality u(t, n);
        insert into relation (tenant_id, from_id, to_id, edge_type, confidence, created_at_micros, updated_at_micros)
          select t, 1, n, 'near', 1, 1, 1 from unnest(array['both', 'relations of another form']) with ordinality u(t, n);
        insert into receipt_head (tenant_id, stream, seq, payload_hash) values ('receipts', 'main', 1, sha256('x'));
      `);
      expect(await migrate({ ownerUrl: database.url })).toContain(name);
      const { rows } = await superuser.query(
        `select tenant_id, tier, implicit from tenant order by tenant_id collate "C"`,
      );
      const implicit = (tenant_id: string) => ({ tenant_id, tier: 'free', implicit: true });
      expect(rows).toEqual([
        implicit('both'),
        { tenant_id: 'created', tier: 'pro', implicit: false },
        implicit('facts'),
        implicit('receipts'),
        implicit('relations of another form'),
      ]);
      const { rows: unforced } = (await superuser.query(
        `select relname from pg_class where relrowsecurity and not relforcerowsecurity`,
      )) as { rows: object[] };
      expect(unforced).toEqual([]);
    } finally {
      await superuser.end();
      await database.drop();
    }
  });
});
