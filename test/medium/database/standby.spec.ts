import { afterAll, beforeAll, expect, it } from 'vitest';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ReplicatedPostgres } from '../../kit/replication.js';
import { documentOf, ingested } from '../ingest/given.js';

let postgres: ReplicatedPostgres;
let api: TestApi;
let daemon: TestDaemon;
beforeAll(async () => {
  postgres = await ReplicatedPostgres.start();
  const env = { SVC_DATABASE_POOL_SIZE: '8', SVC_DATABASE_CONNECT_TIMEOUT_MS: '1500' };
  api = await startApi({ database: postgres.database, env });
  daemon = await startDaemon({ database: postgres.database, env });
});
afterAll(async () => {
  await postgres.waitForNobody();
  await Promise.all([api.app.close(), daemon.app.close()]);
  await postgres.stop();
});

it('a standby that goes away holds writes back and leaves reads alone', { timeout: 120_000 }, async () => {
  const { call, tenantId } = api.tenant;
  await ingested(api.tenant);
  await daemon.call('PUT', '/v1/facts', { entity: 'pier', key: 'length', value: '120 m' });
  await postgres.waitForStandby();
  await postgres.stopStandby();
  // Thrice as many as there are connections. Documents that are sent one by one share one.
  const documents = Array.from({ length: 24 }, (_, i) => documentOf(api.tenant, { docId: `w${i}` }));
  const shared = documents.map((document) => call('POST', '/v1/ingest', document));
  const writes = documents.map((document) => call('POST', '/v1/ingest/batch', { documents: [document] }));
  // Nobody has asked for readiness yet.
  const metrics = async () => (await fetch(`${api.url}/metrics`)).text();
  await expect.poll(metrics, { timeout: 20_000 }).toContain('svc_commits_held_back 1');
  // Sweeps and the log wait too.
  const operators = Promise.allSettled(
    Array.from({ length: 8 }, () =>
      api.app.get(CrossTenant).run('test', (query) => query(`select pg_logical_emit_message(true, 'test', '')`)),
    ),
  );
  await expect
    .poll(async () => (await call('GET', '/readyz')).body.checks.readyz.reason, { timeout: 20_000 })
    .toContain('commits held back');
  expect((await call('GET', '/readyz')).status).toBe(200);
  for (let i = 0; i < 10; i++) {
    expect((await call('GET', '/v1/documents')).status).toBe(200);
    expect((await call('POST', '/v1/retrieve', { query: 'harbour', lane: 'light' })).status).toBe(200);
    expect((await daemon.call('GET', '/v1/facts?entity=pier')).status).toBe(200);
  }
  const daemonReady = await daemon.call('GET', '/readyz');
  expect(daemonReady.status).toBe(200);
  expect(daemonReady.text).toContain('commits held back');
  await postgres.startStandby();
  await operators;
  const statuses = (await Promise.all(writes)).map(({ status }) => status);
  // Those that had a place were acknowledged once the standby was back; the others were answered 503.
  expect(new Set(statuses)).toEqual(new Set([202, 503]));
  expect(new Set((await Promise.all(shared)).map(({ status }) => status))).toEqual(new Set([202]));
  await expect.poll(async () => (await call('GET', '/readyz')).body.checks.readyz.reason).toBeUndefined();
  expect((await call('GET', `/v1/documents?tenantId=${tenantId}`)).status).toBe(200);
});
