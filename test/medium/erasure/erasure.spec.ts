import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { asSuperuser } from '../../kit/database.js';
import { whileLocked } from '../../kit/held-lock.js';
import { ALL_SCOPES, type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makeTenantFixture, SECRET } from '../../kit/tenant-fixture.js';
import { SETTINGS, type Settings } from '../../../src/common/config/settings.js';
import { ErasureList } from '../../../src/common/erasures/erasure-list.js';
import { eraseAgain, keptOf } from '../../../src/modules/governance/erasure/kept-erasures.js';
import type { Query } from '../../../src/common/tenancy/cross-tenant.js';
import { ErasureSweep } from '../../../src/modules/governance/erasure/erasure.sweep.js';
import { lockKeyOf } from '../../../src/common/tenancy/tenancy.js';
import { SUBJECT_CHECKS } from '../../../src/modules/operations/readiness/subject-checks.js';
import { TENANT_TABLES } from '../../../src/common/database/tenant-tables.js';

let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let other: TestTenant;
let call: DaemonCall;
let callOther: DaemonCall;

beforeAll(async () => {
  api = await startApi({ env: { FEATURE_SELF_SIGNUP: '1' } });
  daemon = await startDaemon({ database: api.database, env: { SVCD_FEATURE_LEGAL_HOLD: '1', SVC_LOG_LEVEL: 'error' } });
  acme = api.tenant;
  other = await api.addTenant('other');
  await makeTenantFixture(api, acme);
  await makeTenantFixture(api, other);
  call = daemon.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
  callOther = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
}, 240_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const emptyNames = { entities: [], entity_prefixes: [], fact_ids: [], documents: [], principals: [], texts: [] };

/** Tables with a row of the tenant that has the text somewhere. */
async function tablesWith(tenantId: string, text: string): Promise<string[]> {
  const tables = await api.database.query<{ name: string }>(TENANT_TABLES);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await api.database.query(
      `select from ${name} r where tenant_id = $1 and exists (select from svc_names_in(to_jsonb(r)) n
         where position($2 in n) > 0 or position(encode(convert_to($2, 'UTF8'), 'hex') in n) > 0) limit 1`,
      [tenantId, text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

async function expectSound(): Promise<void> {
  await api.app.get(LogSequencer).integrate();
  const audit = api.app.get(EvidenceAudit);
  expect([(await audit.verifyChain()).faults, (await audit.verifyLog()).faults]).toEqual([[], []]);
}

describe('an erasure', { timeout: 240_000 }, () => {
  it('takes a fact with all its versions, and leaves its neighbours provable', async () => {
    const [a, b] = (
      await call('PUT', '/v1/facts/bulk', [
        { entity: 'person:ann', key: 'phone', value: 'nightingale-1' },
        { entity: 'person:bob', key: 'phone', value: 'robin-1' },
      ])
    ).body.facts;
    await call('PUT', '/v1/facts', { entity: 'person:ann', key: 'phone', value: 'nightingale-2' });
    const report = (await call('POST', '/v1/facts/erase', { entities: ['person:ann'], dry_run: true })).body.erasure;
    expect(report).toMatchObject({ state: 'found', erasure_id: null, counts: { fact: 2 } });
    expect(report.samples.fact).toContain(a.fact_id);
    expect((await call('GET', `/v1/facts/${a.fact_id}`)).status).toBe(200);

    const done = await call('POST', '/v1/facts/erase', { entities: ['person:ann'] });
    expect([done.status, done.body.erasure?.state]).toEqual([200, 'removed']);
    expect(done.body.erasure.counts).toMatchObject({ fact: 2, outbox_event: report.counts.outbox_event });
    expect((await call('GET', `/v1/facts/${a.fact_id}`)).status).toBe(404);
    expect((await call('GET', `/v1/facts/${b.fact_id}`)).status).toBe(200);
    expect((await call('GET', '/v1/facts?q=nightingale')).body.facts ?? []).toEqual([]);
    expect(await tablesWith(acme.tenantId, 'nightingale')).toEqual([]);
    expect(await tablesWith(acme.tenantId, 'person:ann')).toEqual([]);
    expect((await call('GET', `/v1/facts/erase/${done.body.erasure.erasure_id}`)).body.erasure.counts).toEqual(
      done.body.erasure.counts,
    );
    expect((await callOther('GET', `/v1/facts/erase/${done.body.erasure.erasure_id}`)).status).toBe(404);
    await expectSound();
  });

  it('takes every row that holds a text, from every table but those of accounts, and nothing of another tenant', async () => {
    const before = await tablesWith('other', SECRET);
    expect(before.length).toBeGreaterThan(15);
    const report = (await call('POST', '/v1/facts/erase', { texts: [SECRET], dry_run: true })).body.erasure;
    const done = (await call('POST', '/v1/facts/erase', { texts: [SECRET] })).body.erasure;
    const tables = Object.keys(done.counts).filter((name) => done.counts[name] > 0);
    expect(Object.keys(report.counts).sort()).toEqual(tables.sort());
    // Names of accounts and settings alone, which others refer to.
    const settings = [
      'revenue_declaration',
      'scim_group',
      'scim_user',
      'seat',
      'shield_digest',
      'shield_publisher',
      'shield_sampling_policy',
      'shield_server',
    ];
    // Segments of the index are rewritten in the background.
    const left = async () => (await tablesWith(acme.tenantId, SECRET)).sort();
    await expect.poll(left, { timeout: 60_000 }).toEqual(settings);
    expect(await tablesWith('other', SECRET)).toEqual(before);
    await expectSound();
  });

  it('is refused whole where a legal hold pins a row of it, and goes once the hold is released', async () => {
    await call('PUT', '/v1/facts/bulk', [
      { entity: 'case:1', key: 'k', value: 'pinned' },
      { entity: 'person:eve', key: 'k', value: 'free' },
    ]);
    const hold = { tenant_id: acme.tenantId, reason: 'a dispute', entity_prefixes: ['case:'] };
    const { id: holdId } = (await call('POST', '/v1/legal-holds', hold)).body.hold;
    const subject = { entities: ['case:1', 'person:eve'] };
    const refused = await call('POST', '/v1/facts/erase', subject);
    expect([refused.status, refused.body.hold_ids]).toEqual([409, [holdId]]);
    expect((await call('GET', '/v1/facts?entity=person:eve')).body.facts).toHaveLength(1);
    expect((await call('DELETE', `/v1/legal-holds/${holdId}`)).status).toBe(200);
    expect((await call('POST', '/v1/facts/erase', subject)).body.erasure.counts.fact).toBe(2);
    await expectSound();
  });

  it('is refused, counted and receipted in its own tenant, by a hold that another one shares by sync', async () => {
    await callOther('PUT', '/v1/facts', { entity: 'case:7', key: 'k', value: 'pinned' });
    const hold = { tenant_id: 'other', reason: 'a dispute', entity_prefixes: ['case:7'] };
    const { id: holdId } = (await callOther('POST', '/v1/legal-holds', hold)).body.hold;
    const shared = `jsonb_populate_record(h, jsonb_build_object('tenant_id', '${acme.tenantId}'))`;
    await asSuperuser(
      api.database,
      `insert into legal_hold select (${shared}).* from legal_hold h where hold_id = '${holdId}'`,
    );
    const refused = await callOther('POST', '/v1/facts/erase', { entities: ['case:7'] });
    expect([refused.status, refused.body.hold_ids]).toEqual([409, [holdId]]);
    const tenants = [{ tenant_id: 'other' }];
    const noted = 'select tenant_id from hold_refusal where hold_ids = array[$1::uuid]';
    expect(await api.database.query(noted, [holdId])).toEqual(tenants);
    const receipted = `select tenant_id from receipt where kind = 'hold.refused_deletion' and subject = $1`;
    expect(await api.database.query(receipted, [holdId])).toEqual(tenants);
    for (const by of [call, callOther]) await by('DELETE', `/v1/legal-holds/${holdId}`);
  });

  it('names the holds that would refuse it, of every row that goes or is emptied', async () => {
    await call('PUT', '/v1/facts/bulk', [
      { entity: 'claim:1', key: 'k', value: 'pinned' },
      { entity: 'claim:2', key: 'k', value: 'pinned too' },
      { entity: 'person:fay', key: 'k', value: 'free' },
    ]);
    await call('PUT', '/v1/entities/person/claimant', { payload: { note: 'a node' } });
    const place = async (entity_prefixes: string[]) =>
      (await call('POST', '/v1/legal-holds', { tenant_id: acme.tenantId, reason: 'a dispute', entity_prefixes })).body
        .hold.id as string;
    const [first, second, unmet] = [await place(['claim:1']), await place(['claim:2']), await place(['unmet:'])];
    const node = await place(['person:claimant', 'claimant']);
    const holdsOn = async (subject: object) =>
      (await call('POST', '/v1/facts/erase', { ...subject, dry_run: true })).body.erasure.hold_ids;
    expect(await holdsOn({ entities: ['claim:1', 'claim:2', 'person:fay'] })).toEqual([first, second].sort());
    expect(await holdsOn({ entities: ['person:claimant'] })).toEqual([node]);
    expect(await holdsOn({ entities: ['person:fay'] })).toEqual([]);
    const all = await place([]);
    expect(await holdsOn({ entities: ['person:fay'] })).toEqual([all]);
    for (const id of [first, second, unmet, node, all]) await call('DELETE', `/v1/legal-holds/${id}`);
    expect(await holdsOn({ entities: ['claim:1'] })).toEqual([]);
  });

  it('goes on where its process died, and says so until it is done', async () => {
    const { fact_id } = (await call('PUT', '/v1/facts', { entity: 'person:gil', key: 'k', value: 'wren' })).body;
    await call('PUT', '/v1/facts', { entity: 'person:gil', key: 'other', value: 'wren' });
    // What a process leaves that dies after it took the request: the row, and the file of an attempt.
    const erasureId = randomUUID();
    const selector = {
      entities: ['person:gil'],
      entity_prefixes: [],
      fact_ids: [],
      documents: [],
      principals: [],
      texts: [],
    };
    const list = new ErasureList(daemon.app.get<Settings>(SETTINGS));
    const kept = { erasure_id: erasureId, tenant_id: acme.tenantId, erased_by: 'p' };
    list.prepare(keptOf({ ...kept, erased_at: new Date().toISOString() }, selector));
    await api.database.query(
      `insert into erasure_request (tenant_id, erasure_id, selector, requested_by, auth_mode, requested_at) values ($1, $2, $3, 'p', 'none', now() - interval '1 minute')`,
      [acme.tenantId, erasureId, JSON.stringify(selector)],
    );
    const read = async () => (await call('GET', `/v1/facts/erase/${erasureId}`)).body.erasure;
    expect(await read()).toMatchObject({ erasure_id: erasureId, state: 'running', counts: {}, receipt_id: null });
    expect((await callOther('GET', `/v1/facts/erase/${erasureId}`)).status).toBe(404);
    const sweep = daemon.app.get(ErasureSweep);
    await Promise.all([sweep.goOn(), sweep.goOn(), sweep.goOn()]);
    expect(await read()).toMatchObject({ state: 'removed', counts: { fact: 2 }, erased_by: 'p' });
    expect((await call('GET', `/v1/facts/${fact_id}`)).status).toBe(404);
    expect(list.listPending()).toEqual([]);
    expect(await tablesWith(acme.tenantId, 'person:gil')).toEqual([]);
    const receipts = await api.database.query(
      `select from receipt where tenant_id = $1 and kind = 'erasure.completed' and subject = $2`,
      [acme.tenantId, erasureId],
    );
    expect(receipts).toHaveLength(1);
    await expectSound();
  });

  it('keeps its file while it runs, however long that takes, and has one in the end', async () => {
    await call('PUT', '/v1/facts', { entity: 'person:lea', key: 'k', value: 'linnet' });
    const list = new ErasureList(daemon.app.get<Settings>(SETTINGS));
    const lock = `select pg_advisory_xact_lock(hashtextextended('${lockKeyOf(acme.tenantId, 'copied texts')}'::jsonb::text, 0))`;
    const pathOf = (name: string) => join(list.place, name);
    const run = async (meanwhile: (path: string) => Promise<void>): Promise<string> => {
      let erasureId = '';
      await whileLocked(api.database, lock, async (held) => {
        const erasing = call('POST', '/v1/facts/erase', { entities: ['person:lea'] });
        await held.waitForBlocked(1);
        [erasureId] = list.listPending() as [string];
        await meanwhile(pathOf(`${erasureId}.json.pending`));
        await held.commit();
        expect((await erasing).body.erasure.state).toBe('removed');
      });
      return pathOf(`${erasureId}.json`);
    };
    const settled = await run(async (path) => {
      utimesSync(path, new Date(0), new Date(0));
      await daemon.app.get(ErasureSweep).sweep();
      expect(existsSync(path)).toBe(true);
    });
    const written = await run(async (path) => rmSync(path));
    expect([existsSync(settled), existsSync(written), list.listPending()]).toEqual([true, true, []]);
  });

  it('that ends while it is read is found', async () => {
    const erasureId = randomUUID();
    await api.database.query(
      `insert into erasure_request (tenant_id, erasure_id, selector, requested_by, auth_mode, requested_at) values ($1, $2, '{}', 'p', 'none', now() + interval '1 hour')`,
      [acme.tenantId, erasureId],
    );
    await whileLocked(api.database, 'lock table erasure_request in access exclusive mode', async (removal) => {
      const answer = call('GET', `/v1/facts/erase/${erasureId}`);
      await removal.waitForBlocked(1, 'ErasureRequestRow');
      await removal.query('delete from erasure_request where erasure_id = $1', [erasureId]);
      await removal.query(
        `with s as (insert into scrub (scrub_id, reason, finished_at) values ($2, 'subject', now()) returning scrub_id)
         insert into erasure (tenant_id, erasure_id, erased_by, counts, scrub_id) select $1, $2, 'p', '{}', scrub_id from s`,
        [acme.tenantId, erasureId],
      );
      await removal.commit();
      expect((await answer).body.erasure).toMatchObject({ erasure_id: erasureId, state: 'scrubbed' });
    });
  });

  it('takes what a request copies while it runs', async () => {
    const document = { tenantId: acme.tenantId, corpusId: 'vault', docId: 'copied', title: 'Of a heron' };
    const content = 'The heron-77 stands in the water.';
    const ingested = await acme.call('POST', '/v1/ingest', { ...document, content, url: 'https://example.org/' });
    const path = `/v1/ingest/${ingested.body.ingestId}`;
    await expect.poll(async () => (await acme.call('GET', path)).body.status, { timeout: 30_000 }).toBe('completed');
    const found = await acme.call('POST', '/v1/retrieve', { query: 'heron-77', includeCommons: false });
    const [{ chunkId }] = found.body.results;
    // A citation has read the passage, and waits to be written.
    const head = `select from receipt_head where tenant_id = '${acme.tenantId}' for update`;
    await whileLocked(api.database, head, async (held) => {
      const citation = { agentId: 'a', answerId: 'copy', idempotencyKey: 'copied once', citations: [{ chunkId }] };
      const citing = acme.call('POST', '/v1/citations', citation, { 'x-idempotency-key': '' });
      await held.waitForBlocked(1);
      const erasing = call('POST', '/v1/facts/erase', { texts: ['heron-77'] });
      await held.waitForBlocked(2);
      await held.commit();
      expect([(await citing).status, (await erasing).body.erasure.state]).toEqual([201, 'removed']);
    });
    expect(await tablesWith(acme.tenantId, 'heron-77')).toEqual([]);
    await expectSound();
  });

  it('is tried for as long as it fails by what passes, and seldom where it fails by another error', async () => {
    await call('PUT', '/v1/facts', { entity: 'person:ida', key: 'k', value: 'siskin' });
    const erasureId = randomUUID();
    const names = { entity_prefixes: [], fact_ids: [], documents: [], principals: [], texts: [] };
    await api.database.query(
      `insert into erasure_request (tenant_id, erasure_id, selector, requested_by, auth_mode, requested_at) values ($1, $2, $3, 'p', 'none', now() - interval '1 minute')`,
      [acme.tenantId, erasureId, JSON.stringify({ ...names, entities: ['person:ida'] })],
    );
    const failBy = (state: string) =>
      asSuperuser(
        api.database,
        `create or replace function fail_erasure() returns trigger language plpgsql as $$ begin raise exception 'for a test' using errcode = '${state}'; end $$`,
      );
    const read = async () => {
      const rows = await api.database.query<{ state: string; attempts: number; named: boolean }>(
        'select state, attempts, selector is not null as named from erasure_request where erasure_id = $1',
        [erasureId],
      );
      return rows[0];
    };
    const sweep = daemon.app.get(ErasureSweep);
    await failBy('53100');
    await asSuperuser(
      api.database,
      'create trigger fail before insert on erasure for each row execute function fail_erasure()',
    );
    try {
      for (let attempt = 1; attempt <= 6; attempt++) await sweep.goOn();
      expect(await read()).toEqual({ state: 'running', attempts: 0, named: true });
      await failBy('XX000');
      for (let attempt = 1; attempt <= 6; attempt++) await sweep.goOn();
      expect(await read()).toEqual({ state: 'running', attempts: 1, named: true });
    } finally {
      await asSuperuser(api.database, 'drop trigger fail on erasure; drop function fail_erasure');
    }
    await api.database.query('update erasure_request set due_at = now() where erasure_id = $1', [erasureId]);
    await sweep.goOn();
    expect((await call('GET', `/v1/facts/erase/${erasureId}`)).body.erasure.state).toBe('removed');
  });

  it('that goes on by itself is refused by a hold, once and for all, and keeps no name of its subject', async () => {
    await call('PUT', '/v1/facts', { entity: 'case:9', key: 'k', value: 'v' });
    const hold = { tenant_id: acme.tenantId, reason: 'a dispute', entity_prefixes: ['case:9'] };
    const { id: holdId } = (await call('POST', '/v1/legal-holds', hold)).body.hold;
    const erasureId = randomUUID();
    await api.database.query(
      `insert into erasure_request (tenant_id, erasure_id, selector, requested_by, auth_mode, requested_at) values ($1, $2, $3, 'p', 'none', now() - interval '1 minute')`,
      [
        ...[acme.tenantId, erasureId],
        JSON.stringify({
          entities: ['case:9'],
          entity_prefixes: [],
          fact_ids: [],
          documents: [],
          principals: [],
          texts: [],
        }),
      ],
    );
    await daemon.app.get(ErasureSweep).goOn();
    const { erasure } = (await call('GET', `/v1/facts/erase/${erasureId}`)).body;
    expect(erasure).toMatchObject({ state: 'refused', hold_ids: [holdId], reason: expect.any(String) });
    const [row] = await api.database.query('select selector from erasure_request where erasure_id = $1', [erasureId]);
    expect(row).toEqual({ selector: null });
    await call('DELETE', `/v1/legal-holds/${holdId}`);
    await daemon.app.get(ErasureSweep).goOn();
    expect((await call('GET', '/v1/facts?entity=case:9')).body.facts).toHaveLength(1);
    expect((await call('POST', '/v1/facts/erase', { entities: ['case:9'] })).body.erasure.state).toBe('removed');
  });

  it('is done again by a restore under holds that were placed before it, whole, and not under later ones', async () => {
    await call('PUT', '/v1/facts', { entity: 'person:matter', key: 'k', value: 'v' });
    const named = { corpusId: 'vault', docId: 'matter', title: 'Of the matter' };
    const document = { ...named, tenantId: acme.tenantId, content: 'It is disputed.', url: 'https://example.org/' };
    const path = `/v1/ingest/${(await acme.call('POST', '/v1/ingest', document)).body.ingestId}`;
    await expect.poll(async () => (await acme.call('GET', path)).body.status, { timeout: 30_000 }).toBe('completed');
    const hold = { tenant_id: acme.tenantId, reason: 'a dispute' };
    const entity_prefixes = ['person:matter', 'document:vault/matter'];
    const { id: holdId } = (await call('POST', '/v1/legal-holds', { ...hold, entity_prefixes })).body.hold;
    const erasureId = randomUUID();
    const names = { entity_prefixes: [], fact_ids: [], principals: [], texts: [] };
    const kept = keptOf(
      { erasure_id: erasureId, tenant_id: acme.tenantId, erased_by: 'p', erased_at: new Date().toISOString() },
      { ...names, entities: ['person:matter'], documents: [{ corpus_id: 'vault', doc_id: 'matter' }] },
    );
    const list = new ErasureList(daemon.app.get<Settings>(SETTINGS));
    list.prepare(kept);
    list.settle(erasureId);
    const owner = new Client({ connectionString: api.database.url });
    await owner.connect();
    const query: Query = async <Row>(sql: string, given: unknown[] = []) =>
      (await owner.query(sql, given)).rows as Row[];
    try {
      await owner.query('begin');
      await expect(eraseAgain(query, [{ ...kept, erased_at: '2020-01-01T00:00:00.000Z' }])).rejects.toThrow(
        new RegExp(`^Erasure ${erasureId} .*legal holds ${holdId} of the backup`),
      );
      await owner.query('rollback; begin');
      expect([await eraseAgain(query, [kept]), await eraseAgain(query, [kept])]).toEqual([1, 0]);
      // The hold goes on pinning whatever else is deleted.
      await query(`select set_config('svc.erased_tenant', $1, true)`, [acme.tenantId]);
      expect(await query(`select svc_holds_on($1, 'person:matter') as ids`, [acme.tenantId])).toEqual([
        { ids: [holdId] },
      ]);
      await owner.query('commit');
    } finally {
      await owner.end();
    }
    const content = ['fact', 'fact_head', 'document', 'document_version', 'chunk', 'ingest'];
    const left = [
      ...(await tablesWith(acme.tenantId, 'person:matter')),
      ...(await tablesWith(acme.tenantId, 'matter')),
    ];
    expect(left.filter((name) => content.includes(name))).toEqual([]);
    expect((await call('DELETE', `/v1/legal-holds/${holdId}`)).status).toBe(200);
    expect(await tablesWith(acme.tenantId, 'disputed')).toEqual([]);
  });

  it('is not said by the server of what somebody deleted by himself', async () => {
    const { fact_id } = (await call('PUT', '/v1/facts', { entity: 'person:zoe', key: 'k', value: 'wren' })).body;
    expect((await call('POST', '/v1/facts/erase', { entities: ['person:zoe'] })).body.erasure.counts.fact).toBe(1);
    await call('PUT', '/v1/facts', { entity: 'person:yan', key: 'k', value: 'siskin' });
    await api.app.get(LogSequencer).integrate();
    // Of an erasure that nobody asked for, of one that is done, and of one that is just asked for.
    const [done] = await api.database.query<{ id: string }>(
      `select subject as id from receipt where tenant_id = $1 and kind = 'erasure.completed' order by seq desc limit 1`,
      [acme.tenantId],
    );
    const asked = randomUUID();
    const plant = (erasureId: string, digit: string) =>
      asSuperuser(
        api.database,
        `insert into erased_receipt (tenant_id, record_digest, erasure_id) values ('${acme.tenantId}', decode(repeat('${digit}', 64), 'hex'), '${erasureId}');
         insert into erased_fact (tenant_id, receipt_id, leaf_index, erasure_id) values ('${acme.tenantId}', '${fact_id}', ${digit}, '${erasureId}')`,
      );
    const said = () =>
      api.database.query(`select from receipt where tenant_id = $1 and kind in ('erasure.records', 'erasure.facts')`, [
        acme.tenantId,
      ]);
    const sweep = daemon.app.get(ErasureSweep);
    await sweep.sweep();
    const before = (await said()).length;
    for (const [n, id] of [randomUUID(), done!.id, asked].entries()) await plant(id, String(n + 1));
    await sweep.sweep();
    await api.database.query(
      `insert into erasure_request (tenant_id, erasure_id, selector, requested_by, auth_mode, requested_at) values ($1, $2, $3, 'p', 'none', now() - interval '1 minute')`,
      [acme.tenantId, asked, JSON.stringify(emptyNames)],
    );
    await sweep.goOn();
    expect((await said()).length).toBe(before);
    // The next lawful one names its own alone.
    await call('POST', '/v1/facts/erase', { entities: ['person:yan'] });
    const waiting = await api.database.query(
      'select from erased_receipt where tenant_id = $1 and announced_by is null',
      [acme.tenantId],
    );
    expect(waiting).toHaveLength(3);
    await asSuperuser(
      api.database,
      `delete from erased_receipt where announced_by is null; delete from erased_fact where announced_by is null; delete from erasure_request where erasure_id = '${asked}'`,
    );
    await expectSound();
  });

  it('excuses no row that somebody wrote by himself', async () => {
    const audit = api.app.get(EvidenceAudit);
    const faults = async () => (await audit.verifyChain(SUBJECT_CHECKS)).faults;
    const before = await faults();
    const digest = `decode('abcd1234' || repeat('0', 56), 'hex')`;
    await asSuperuser(
      api.database,
      `insert into erased_receipt (tenant_id, record_digest, stream, seq, payload_hash, erasure_id, announced_by)
         values ('${acme.tenantId}', ${digest}, 'x', 1, ${digest}, gen_random_uuid(), (select receipt_id from receipt where kind = 'erasure.records' limit 1));
       insert into answer (tenant_id, answer_id, version, agent_id, answer_text, receipt_id, recorded_by, recorded_at)
         values ('${acme.tenantId}', 'forged', 1, 'a', 'We pay it back.', 'abcd1234-0000-8000-8000-000000000000', 'key:someone', now() - interval '200 days')`,
    );
    expect((await faults()).filter((fault) => !before.includes(fault))).toContainEqual(
      expect.stringMatching(/^answer forged\S* of tenant acme: no receipt speaks of it$/),
    );
    await asSuperuser(
      api.database,
      `delete from answer where answer_id = 'forged'; delete from erased_receipt where record_digest = ${digest}`,
    );
    expect(await faults()).toEqual(before);
  });

  it('knows every table of tenants', async () => {
    const tables = (await api.database.query<{ name: string }>(TENANT_TABLES)).map(({ name }) => name);
    const rules = await api.database.query<{ name: string }>('select name from svc_erasure_rules()');
    expect(rules.map(({ name }) => name).sort()).toEqual(tables.sort());
  });

  it('empties columns that are there, of types that it can empty', async () => {
    const columns = await api.database.query<{ place: string; type: string | null }>(
      `select r.name || '.' || c.name as place, format_type(a.atttypid, null) as type
       from svc_erasure_rules() r cross join lateral unnest(r.blanks) c (name)
         left join pg_attribute a on a.attrelid = to_regclass(r.name) and a.attname = c.name and not a.attisdropped
       where r.effect = 'blank'`,
    );
    expect(columns.length).toBeGreaterThan(20);
    const types = ['text', 'text[]', 'json', 'jsonb', 'bytea'];
    expect(columns.filter(({ type }) => type === null || !types.includes(type))).toEqual([]);
  });

  it('is refused where it names nothing, or too little', async () => {
    for (const [body, message] of [
      [{}, 'must name a subject'],
      [{ texts: ['abc'] }, 'body.texts[0]'],
      [{ entity_prefixes: [''] }, 'body.entity_prefixes[0]'],
      [{ fact_ids: ['x'] }, 'body.fact_ids[0]'],
      [{ entities: 'x' }, 'body.entities'],
      [{ entities: ['x'], all: true }, 'all'],
    ] as const) {
      const answer = await call('POST', '/v1/facts/erase', body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(message)]);
    }
    const reader = daemon.as({ scopes: 'facts:write', tenant: acme.tenantId });
    expect((await reader('POST', '/v1/facts/erase', { entities: ['x'] })).status).toBe(403);
  });
});
