import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { SilentProxy } from '../../kit/silent-proxy.js';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { ingested } from '../ingest/given.js';

const HOLE_MS = 6_000;
/** What every process promises of its connections after the network's return. */
const WELL_WITHIN_MS = 5_000;

let database: TestDatabase;
let proxy: SilentProxy;
let api: TestApi;
let daemon: TestDaemon;
beforeAll(async () => {
  database = await freshDatabase();
  proxy = await SilentProxy.start(database.url);
  const address = { appUrl: proxy.urlAs('svc_app'), operatorUrl: proxy.urlAs('svc_operator') };
  const env = { SVC_DATABASE_CONNECT_TIMEOUT_MS: '3000' };
  api = await startApi({ database, address, env });
  daemon = await startDaemon({ database, address, env });
});
afterAll(async () => {
  await Promise.all([api.app.close(), daemon.app.close()]);
  await proxy.stop();
  await database.drop();
});

let facts = 0;
const putFact = () => daemon.call('PUT', '/v1/facts', { entity: 'pier', key: `k${(facts += 1)}`, value: 'v' });
const readiness = async () => [
  (await api.tenant.call('GET', '/readyz')).status,
  (await daemon.call('GET', '/readyz')).status,
];

describe('connections that die silently', { timeout: 120_000 }, () => {
  it('are noticed while the network is away, and replaced within seconds of its return', async () => {
    await ingested(api.tenant);
    expect((await putFact()).status).toBe(201);
    proxy.fallSilent();
    const stuck = [putFact(), putFact(), api.tenant.call('GET', '/v1/corpora')];
    await sleep(HOLE_MS);
    expect(await readiness()).toEqual([503, 503]);
    proxy.recover();
    const backAt = performance.now();
    await expect.poll(readiness, { timeout: WELL_WITHIN_MS * 2, interval: 100 }).toEqual([200, 200]);
    const fact = await putFact();
    const took = performance.now() - backAt;
    expect(fact.status).toBe(201);
    expect(took).toBeLessThan(WELL_WITHIN_MS);
    // The job queue works too.
    await ingested(api.tenant, { docId: 'after', content: 'Written after the network came back.' });
    for (const { status } of await Promise.all(stuck)) expect([200, 201, 503]).toContain(status);
  });

  it('are replaced also when they were idle: one request may fail, the next does not', async () => {
    await Promise.all(Array.from({ length: 6 }, () => api.tenant.call('GET', '/v1/corpora')));
    proxy.loseAll();
    await expect
      .poll(async () => (await api.tenant.call('GET', '/v1/corpora')).status, { timeout: WELL_WITHIN_MS })
      .toBe(200);
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.tenant.call('GET', '/v1/corpora')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('of a statement that runs for long are left alone', async () => {
    const { Tenancy } = await import('../../../src/common/tenancy/tenancy.js');
    const tenancy = api.app.get(Tenancy);
    await expect(tenancy.call('select pg_sleep(6), 1 as one')).resolves.toMatchObject([{ one: 1 }]);
  });

  it('leave no revoked key in use for longer than a second', async () => {
    const { call, tenantId, keyId } = await api.addTenant('keyed');
    expect((await call('GET', '/v1/corpora')).status).toBe(200);
    proxy.loseAll();
    await TenantsStore.using({ ownerUrl: database.url }, (store) => store.revokeKey(tenantId, keyId));
    await sleep(1_000);
    // What is asked from here on was begun more than a second after the end of the key.
    for (let i = 0; i < 20; i++) {
      expect((await call('GET', '/v1/corpora')).status).not.toBe(200);
      await sleep(50);
    }
  });
});
