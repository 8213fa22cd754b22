import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser } from '../../kit/database.js';
import { whileLocked } from '../../kit/held-lock.js';
import { ErasureSweep } from '../../../src/modules/governance/erasure/erasure.sweep.js';
import { lockKeyOf } from '../../../src/common/tenancy/tenancy.js';
import { given } from '../watches/given.js';

let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  daemon = await startDaemon({ database: api.database, env: { SVC_LOG_LEVEL: 'error' }, tenants: ['other'] });
  call = daemon.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
}, 240_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const CORPORA = ['alpha', 'beta', 'gamma'];
const documents = CORPORA.map((corpus_id) => ({ corpus_id, doc_id: 'heron' }));
const keyOf = (name: string) => `hashtextextended('svc ${name} ${acme.tenantId}', 0)`;
const rowOf = (table: string, corpus: string) =>
  `select from ${table} where tenant_id = '${acme.tenantId}' and corpus_id = '${corpus}' for update`;

async function makeSubject(): Promise<void> {
  for (const corpusId of CORPORA) await given(acme, 'heron', `The heron of ${corpusId}.`, { corpusId });
  await call('PUT', '/v1/entities/bird/heron', { payload: { note: 'a node' } });
  await asSuperuser(
    api.database,
    `insert into ingest_file (tenant_id, ingest_id, corpus_id, doc_id, shareability, digest, size, status, accepted_by, auth_mode, finished_at)
     values ('${acme.tenantId}', gen_random_uuid(), 'beta', 'heron', 'owner_only', sha256('x'), 1, 'failed', 'p', 'none', now())`,
  );
}

describe('an erasure locks in the order of those that write', { timeout: 120_000 }, () => {
  it.each([
    ['a file, then its document', () => [rowOf('ingest_file', 'beta'), `${rowOf('document', 'beta')} nowait`]],
    ['a document, then shards', () => [rowOf('document', 'alpha'), `${rowOf('index_shard', 'alpha')} nowait`]],
    ['documents by their names', () => [rowOf('document', 'alpha'), `${rowOf('document', 'gamma')} nowait`]],
    ['shards by their corpora', () => [rowOf('index_shard', 'alpha'), `${rowOf('index_shard', 'gamma')} nowait`]],
    [
      'facts, then holds',
      () => [
        `select pg_advisory_xact_lock(${keyOf('facts')})`,
        // An error where somebody has it.
        `select 1 / pg_try_advisory_xact_lock(${keyOf('holds')})::int`,
      ],
    ],
  ])('%s', async (_name, locks) => {
    await makeSubject();
    const [first, second] = locks() as [string, string];
    await whileLocked(api.database, first, async (held) => {
      const erasing = call('POST', '/v1/facts/erase', { documents, entities: ['heron'] });
      await held.waitForBlocked(1);
      await held.query(second);
      await held.commit();
      expect((await erasing).body.erasure.state).toBe('removed');
    });
  });
});

it('an erasure holds no connection while it waits for another of its tenant', { timeout: 120_000 }, async () => {
  const callOther = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
  const lock = `select pg_advisory_xact_lock(hashtextextended('${lockKeyOf(acme.tenantId, 'erasure')}'::jsonb::text, 0))`;
  await whileLocked(api.database, lock, async (held) => {
    const erasing = Array.from({ length: 20 }, (_, n) =>
      call('POST', '/v1/facts/erase', { entities: [`person:n${n}`] }),
    );
    const asked = async () =>
      (
        await api.database.query(`select from erasure_request where tenant_id = $1 and state = 'running'`, [
          acme.tenantId,
        ])
      ).length;
    await expect.poll(asked, { timeout: 10_000 }).toBe(20);
    await held.waitForBlocked(1);
    const waiting = await asSuperuser(
      api.database,
      `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(waiting).toHaveLength(1);
    expect((await callOther('PUT', '/v1/facts', { entity: 'person:x', key: 'k', value: 'v' })).status).toBeLessThan(
      300,
    );
    await held.commit();
    for (const answer of await Promise.all(erasing)) expect(answer.body.erasure.state).toBe('removed');
  });
});

it('one that a process left and that lasts keeps no other tenant waiting', { timeout: 120_000 }, async () => {
  const lock = `select pg_advisory_xact_lock(hashtextextended('${lockKeyOf(acme.tenantId, 'erasure')}'::jsonb::text, 0))`;
  const selector = {
    ...{ documents: [], entities: ['person:left'], entity_prefixes: [] },
    ...{ fact_ids: [], principals: [], texts: [] },
  };
  const leave = (tenantId: string, minutes: number) =>
    api.database.query(
      `insert into erasure_request (tenant_id, erasure_id, selector, requested_by, auth_mode, requested_at)
       values ($1, gen_random_uuid(), $2, 'p', 'none', now() - make_interval(mins => $3))`,
      [tenantId, JSON.stringify(selector), minutes],
    );
  const left = async (tenantId: string) =>
    (await api.database.query(`select from erasure_request where tenant_id = $1 and state = 'running'`, [tenantId]))
      .length;
  await whileLocked(api.database, lock, async (held) => {
    await leave(acme.tenantId, 2);
    await leave('other', 1);
    const going = daemon.app.get(ErasureSweep).goOn();
    await held.waitForBlocked(1);
    await expect.poll(() => left('other'), { timeout: 10_000 }).toBe(0);
    expect(await left(acme.tenantId)).toBe(1);
    await held.commit();
    await going;
  });
  await expect.poll(() => left(acme.tenantId), { timeout: 10_000 }).toBe(0);
});
