import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../../src/common/database/connection.js';
import { migrate } from '../../../src/common/database/run-migrations.js';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { hasPgBouncer, PgBouncer, type PoolerOptions } from '../../kit/pgbouncer.js';
import { ingested, foundTexts } from '../ingest/given.js';

let database: TestDatabase;
let pooler: PgBouncer | undefined;
beforeAll(async () => {
  database = await freshDatabase();
  // The roles' settings belong to the database, and a clone has none.
  await migrate({ ownerUrl: database.url });
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
});
afterAll(() => database.drop());

async function through(options: PoolerOptions): Promise<DatabaseAddress> {
  pooler = await PgBouncer.start(database.url, options);
  const pooled = { appUrl: pooler.urlAs('svc_app'), operatorUrl: pooler.urlAs('svc_operator') };
  return options.mode === 'session' ? pooled : { ...pooled, sessionUrl: database.url };
}

/** The whole way of a document, and a second tenant that must not meet it. */
async function expectsIsolation(api: TestApi): Promise<void> {
  const other = await api.addTenant(`other-${Date.now()}`);
  await ingested(api.tenant, { docId: 'moorings', content: 'The moorings of the harbour are checked in May.' });
  expect(await foundTexts(api.tenant, 'moorings')).not.toEqual([]);
  expect((await other.call('GET', '/v1/documents')).body.documents).toEqual([]);
  expect((await other.call('GET', '/v1/documents/notes/moorings')).status).toBe(404);
}

describe('behind PgBouncer', { timeout: 120_000 }, () => {
  // Without the pooler on this machine there is nothing to try but the direct way, which the other specs go.
  if (!hasPgBouncer) return it('is tried where the pooler is installed', () => expect(hasPgBouncer).toBe(false));

  it.each(['session', 'transaction'] as const)('in %s mode the apps work and keep tenants apart', async (mode) => {
    const address = await through({ mode });
    const api = await startApi({ database, address });
    const daemon = await startDaemon({ database, address });
    try {
      await expectsIsolation(api);
      const fact = { entity: 'pier', key: 'length', value: '120 m' };
      expect((await daemon.call('PUT', '/v1/facts', fact)).status).toBe(201);
      expect((await daemon.call('GET', '/v1/facts?entity=pier')).status).toBe(200);
      expect((await daemon.call('GET', '/readyz')).body).toMatchObject({ status: 'ready' });
      await endsWithItsKey(api);
    } finally {
      await Promise.all([api.app.close(), daemon.app.close()]);
    }
  });

  it('in transaction mode connections share few sessions, and leave nothing in them', async () => {
    const address = await through({ mode: 'transaction', poolSize: 4 });
    const api = await startApi({ database, address });
    const daemon = await startDaemon({ database, address });
    try {
      const tenants = await Promise.all([api.addTenant('one'), api.addTenant('two')]);
      const rounds = tenants.map(async (tenant) => {
        const { tenantId } = tenant;
        for (let i = 0; i < 6; i += 1) {
          await ingested(tenant, { docId: `d${i}`, content: `Lantern ${i} of ${tenantId}.` });
          const texts = (await foundTexts(tenant, 'lantern')).map(([, text]) => text);
          expect(texts.sort()).toEqual(Array.from({ length: i + 1 }, (_, n) => `Lantern ${n} of ${tenantId}.`));
          const value = `${tenantId} ${i}`;
          await daemon.call('PUT', '/v1/facts', { entity: `lamp:${tenantId}`, key: 'light', value });
          expect((await daemon.call('GET', `/v1/facts?entity=lamp:${tenantId}`)).text).toContain(value);
        }
      });
      await Promise.all(rounds);
      for (const role of ['svc_app', 'svc_operator'])
        expect([role, await leftInSessions(pooler!, role)]).toEqual([role, { sessions: true, left: [] }]);
    } finally {
      await Promise.all([api.app.close(), daemon.app.close()]);
    }
  });

  it('that logs everybody in as the owner, nothing is served', async () => {
    const address = await through({ mode: 'session', forcedUser: 'svc_owner' });
    await expect(startApi({ database, address })).rejects.toThrow(/logged in as svc_owner, not as svc_(app|operator)/);
    await expect(startDaemon({ database, address })).rejects.toThrow(
      /logged in as svc_owner, not as svc_(app|operator)/,
    );
  });
});

/** What a session keeps from one transaction to the next: it would meet whoever gets the session then. */
const KEPT = `
  select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as prepared,
    (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
    (select count(*)::int from pg_listening_channels()) as channels, coalesce(current_setting('svc.tenant_id', true), '') as tenant`;

/** Looks into the sessions behind the pooler, by transactions that are open at once. */
async function leftInSessions(behind: PgBouncer, role: string): Promise<{ sessions: boolean; left: object[] }> {
  const clients = Array.from({ length: 3 }, () => new Client(behind.urlAs(role)));
  const rows: { pid: number; [kept: string]: unknown }[] = [];
  for (const client of clients) {
    await client.connect();
    await client.query('begin');
    rows.push(...(await client.query<{ pid: number }>(KEPT)).rows);
  }
  for (const client of clients) {
    await client.query('rollback');
    await client.end();
  }
  const left = rows.map(({ pid: _pid, ...kept }) => kept).filter((kept) => Object.values(kept).some(Boolean));
  return { sessions: new Set(rows.map(({ pid }) => pid)).size === clients.length, left };
}

/** A revoked key ends within a second: notifications come through. */
async function endsWithItsKey({ tenant, database: { url } }: TestApi): Promise<void> {
  expect((await tenant.call('GET', '/v1/corpora')).status).toBe(200);
  await TenantsStore.using({ ownerUrl: url }, (store) => store.revokeKey(tenant.tenantId, tenant.keyId));
  await expect
    .poll(async () => (await tenant.call('GET', '/v1/corpora')).status, { timeout: 5_000, interval: 100 })
    .toBe(401);
}
