import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockKeyOf } from '../../../src/common/tenancy/tenancy.js';
import { TENANT_TABLES } from '../../../src/common/database/tenant-tables.js';
import { EvaluationService } from '../../../src/modules/continuity/watches/evaluation/evaluation.service.js';
import { ConsolidationService } from '../../../src/modules/memory/candidates/consolidation.service.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { whileLocked } from '../../kit/held-lock.js';
import { write } from '../continuity/given.js';
import { makeProject, must } from '../dossiers/given.js';
import { openIncident, walk } from '../incidents/given.js';
import { alertsOf, given, passage, watch } from '../watches/given.js';

let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let call: DaemonCall;
let lock: string;

beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  const flags = { SVCD_AUTO_CAPTURE: '1', SVCD_IDENTITY_LINKS: '1', SVCD_FEATURE_INCIDENTS: '1' };
  daemon = await startDaemon({ database: api.database, env: { ...flags, SVC_LOG_LEVEL: 'error' } });
  call = daemon.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
  lock = `select pg_advisory_xact_lock(${keyOf('copied texts')})`;
  await makeProject(call, 'shop');
}, 240_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const keyOf = (name: string) => `hashtextextended('${lockKeyOf(acme.tenantId, name)}'::jsonb::text, 0)`;

/** Tables with a row of the tenant that has the text somewhere. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await api.database.query<{ name: string }>(TENANT_TABLES)) {
    const rows = await api.database.query(
      `select from ${name} r where tenant_id = $1 and exists (select from svc_names_in(to_jsonb(r)) n where position($2 in n) > 0) limit 1`,
      [acme.tenantId, text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Erases what holds the text, while `copy`, which began after the erasure looked first, waits for its end. */
async function eraseBefore(text: string, copy: () => Promise<unknown>): Promise<void> {
  let answer: any;
  await whileLocked(api.database, lock, async (held) => {
    const erasing = call('POST', '/v1/facts/erase', { texts: [text] });
    await held.waitForBlocked(1);
    const copying = copy();
    await held.waitForBlocked(2);
    await held.commit();
    answer = await erasing;
    await copying;
  });
  const read = async () => (await call('GET', `/v1/facts/erase/${answer.body.erasure.erasure_id}`)).body.erasure.state;
  await expect.poll(read, { timeout: 60_000 }).toMatch(/removed|scrubbed/);
  // Segments of the index are rewritten in the background.
  await expect.poll(() => tablesWith(text), { timeout: 60_000 }).toEqual([]);
}

describe('an erasure keeps from being copied', { timeout: 180_000 }, () => {
  it('facts that are looked through for candidates', async () => {
    const over = { valid_from: '2020-01-01T00:00:00Z', valid_to: '2021-01-01T00:00:00Z' };
    await call('PUT', '/v1/facts', { entity: 'user:ann', key: 'k', value: 'bittern-1', ...over });
    await call('PUT', '/v1/facts', { entity: 'user:bob', key: 'k', value: 'a crane', ...over });
    await eraseBefore('bittern-1', () => daemon.app.get(ConsolidationService, { strict: false }).look());
    const { candidates } = (await call('GET', '/v1/memory/candidates')).body;
    expect(candidates.map(({ entity }: any) => entity)).toEqual(['user:bob']);
  });

  it('what a watched query found', async () => {
    await given(acme, 'old', 'Of a stork that stands in the water.');
    const made = await watch(acme, { targetType: 'query', query: { query: 'stork in the water' }, agentId: 'a' });
    const content = 'Of a stork in the water, the stork-2.';
    await eraseBefore('stork-2', async () => {
      await given(acme, 'new', content, { title: 'Of the stork-2' });
      // Events that were committed while a transaction runs wait for its end.
      const events = await api.database.query<{ event_id: string }>(
        `select event_id from outbox_event where kind = 'document.indexed' and data ->> 'docId' = 'new'`,
      );
      const { tenantId } = acme;
      const task = { tenantId, events: events.map(({ event_id }): [string, string] => [tenantId, event_id]) };
      await api.app.get(EvaluationService).evaluate(task);
    });
    await given(acme, 'newer', 'Of a stork in the water, a third.');
    const found = async () =>
      (await alertsOf(acme, made)).flatMap(({ passages }) => passages.map((one: any) => one.docId));
    await expect.poll(found, { timeout: 30_000 }).toEqual(['newer']);
  });

  it('passages that the version before of a primitive has pinned', async () => {
    await given(acme, 'pinned', 'Of an egret, the egret-3.');
    const chunkId = await passage(acme, 'egret-3');
    expect((await write(acme, 'keeper', { pins: [{ chunkId }] })).status).toBe(201);
    await eraseBefore('egret-3', () => write(acme, 'keeper', { expectedVersion: 1 }));
  });

  it('what an answer cites, and locks nothing that others who copy wait for', async () => {
    await given(acme, 'cited', 'Of a coot, the coot-5.');
    const citations = [{ chunkId: await passage(acme, 'coot-5') }];
    await whileLocked(api.database, lock, async (held) => {
      const recording = acme.call('POST', '/v1/answers', { answerText: 'A coot.', citations, watch: true });
      await held.waitForBlocked(1);
      // An error where somebody has it.
      await held.query(`select 1 / pg_try_advisory_xact_lock(${keyOf('watches')})::int`);
      await held.commit();
      expect((await recording).status).toBe(201);
    });
    await must(call('POST', '/v1/facts/erase', { texts: ['coot-5'] }));
    await expect.poll(() => tablesWith('coot-5'), { timeout: 60_000 }).toEqual([]);
  });

  it('what texts of a project, candidates and walks are made of', async () => {
    const { fact_id: id } = (await call('PUT', '/v1/facts', { entity: 'user:ann', key: 'bird', value: 'ibis-4' })).body;
    const incident = await openIncident(call, acme.tenantId);
    await call('PUT', '/v1/facts', { entity: 'project:shop', key: 'bird', value: 'ibis-4' });
    const copies = [
      () => must(call('POST', '/v1/projects/shop/storybook')),
      () => must(call('POST', '/v1/projects/shop/dossiers/auto')),
      () => must(call('POST', '/v1/memory/extract', { text: 'I prefer tea.' })),
      () => must(call('POST', '/v1/identity/candidates/propose', {})),
      () => walk(call, incident, { kind: 'fact', id }),
    ];
    await whileLocked(api.database, lock, async (held) => {
      const copying = Promise.all(copies.map((copy) => copy()));
      await held.waitForBlocked(copies.length);
      await held.commit();
      await copying;
    });
    expect((await call('POST', '/v1/facts/erase', { texts: ['ibis-4'] })).body.erasure.state).toBe('removed');
    expect(await tablesWith('ibis-4')).toEqual([]);
  });
});
