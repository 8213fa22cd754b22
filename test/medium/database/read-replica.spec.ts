import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ReplicatedPostgres } from '../../kit/replication.js';
import { until } from '../../e2e/processes/svc-process.js';
import { foundTexts, ingested } from '../ingest/given.js';

vi.setConfig({ testTimeout: 120_000 });

let postgres: ReplicatedPostgres;
let apis: TestApi[];
let daemon: TestDaemon;
beforeAll(async () => {
  postgres = await ReplicatedPostgres.start();
  const { database } = postgres;
  const address = { ownerUrl: database.url, readUrl: postgres.standbyUrl };
  apis = [await startApi({ database, address }), await startApi({ database, address })];
  daemon = await startDaemon({ database, address });
  await untilServing();
}, 120_000);
afterAll(async () => {
  await Promise.all([...apis.map(({ app }) => app.close()), daemon.close()]);
  await postgres.stop();
});

/** Reads of all processes by what answered them. */
async function countReads(): Promise<{ replica: number; primary: number }> {
  const texts = await Promise.all([...apis, daemon].map(async ({ url }) => (await send(url, 'GET', '/metrics')).text));
  const sum = (outcome: string) =>
    texts.reduce(
      (all, text) =>
        all + Number(new RegExp(`svc_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0),
      0,
    );
  return { replica: sum('replica'), primary: sum('primary') };
}

async function untilServing(): Promise<void> {
  for (const { url } of [...apis, daemon])
    await until('the replica serves', async () =>
      (await send(url, 'GET', '/metrics')).text.includes('svc_replica_serving 1'),
    );
}

/** What one process wrote, every process shows at once: a document new and gone, a fact and the next. */
async function expectsWhatWasWritten(round: string): Promise<void> {
  const [one, other] = apis as [TestApi, TestApi];
  const { call } = one.tenant;
  const there = {
    ...one.tenant,
    call: (method: string, path: string, body?: unknown) =>
      send(other.url, method, path, body, { 'x-api-key': one.tenant.apiKey, 'x-tenant-id': one.tenant.tenantId }),
  };
  await ingested(one.tenant, { docId: round, content: `The lighthouse ${round} is painted.` });
  for (const tenant of [one.tenant, there]) {
    expect(await foundTexts(tenant, round)).toHaveLength(1);
    expect((await tenant.call('GET', `/v1/documents/handbook/${round}`)).status).toBe(200);
  }
  expect((await call('DELETE', `/v1/documents/handbook/${round}`)).status).toBe(200);
  for (const tenant of [one.tenant, there]) {
    expect(await foundTexts(tenant, round)).toEqual([]);
    expect((await tenant.call('GET', `/v1/documents/handbook/${round}`)).status).toBe(404);
  }
  for (const value of ['one', 'two']) {
    await daemon.call('PUT', '/v1/facts', { entity: `pier:${round}`, key: 'length', value });
    expect((await daemon.call('GET', `/v1/facts?entity=pier:${round}`)).text).toContain(`"${value}"`);
  }
}

it('a replica answers what only reads, with all that was acknowledged before', async () => {
  const before = await countReads();
  for (let i = 0; i < 10; i += 1) await expectsWhatWasWritten(`streaming${i}`);
  expect((await countReads()).replica).toBeGreaterThan(before.replica + 10);
});

it('a replica is left out while its replay is behind, and serves again afterwards', async () => {
  await postgres.asSuperuserOfStandby('select pg_wal_replay_pause()');
  const before = await countReads();
  for (let i = 0; i < 3; i += 1) await expectsWhatWasWritten(`paused${i}`);
  const paused = await countReads();
  expect([paused.primary > before.primary, paused.replica]).toEqual([true, before.replica]);
  await postgres.asSuperuserOfStandby('select pg_wal_replay_resume()');
  let round = 0;
  // A read that the replica is too slow for goes to the primary: on a busy machine that may be a round of them.
  await until('the replica answers again', async () => {
    await untilServing();
    await expectsWhatWasWritten(`resumed${(round += 1)}`);
    return (await countReads()).replica > paused.replica;
  });
});

it('a replica stays exact while replay stops and goes on', async () => {
  let isOver = false;
  const toggling = (async () => {
    while (!isOver) {
      await postgres.asSuperuserOfStandby('select pg_wal_replay_pause()');
      await new Promise((resolve) => setTimeout(resolve, 30));
      await postgres.asSuperuserOfStandby('select pg_wal_replay_resume()');
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  })();
  try {
    for (let i = 0; i < 8; i += 1) await expectsWhatWasWritten(`toggled${i}`);
  } finally {
    isOver = true;
    await toggling;
  }
});

it('a replica is not asked whether a key holds', async () => {
  const { tenant, database } = apis[0]!;
  const other = await apis[0]!.addTenant('revoked');
  expect((await other.call('GET', '/v1/documents')).status).toBe(200);
  await postgres.asSuperuserOfStandby('select pg_wal_replay_pause()');
  await TenantsStore.using({ ownerUrl: database.url }, (store) => store.revokeKey(other.tenantId, other.keyId));
  await expect.poll(async () => (await other.call('GET', '/v1/documents')).status, { timeout: 5_000 }).toBe(401);
  expect((await tenant.call('GET', '/v1/documents')).status).toBe(200);
  await postgres.asSuperuserOfStandby('select pg_wal_replay_resume()');
});

it('a replica leaves reads to the primary while it is away', async () => {
  await untilServing();
  await postgres.stopStandby();
  await expectsWhatWasWritten('away');
  await postgres.startStandby();
  await untilServing();
  await expectsWhatWasWritten('back');
});

it('a replica is not believed once it was promoted apart from the primary', async () => {
  await untilServing();
  await postgres.asSuperuserOfStandby('select pg_promote()');
  // Its log goes further than the primary's, with other contents.
  await postgres.asSuperuserOfStandby(`select pg_logical_emit_message(false, 'svc', repeat('x', 4000000))`);
  const before = await countReads();
  for (let i = 0; i < 3; i += 1) await expectsWhatWasWritten(`apart${i}`);
  expect((await countReads()).replica).toBe(before.replica);
});
