import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { EvidenceLook } from '../../../src/common/evidence-log/evidence-look.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { FactBatches } from '../../../src/modules/memory/facts/fact-batches.service.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';

let daemon: TestDaemon;
let keeping: TestDaemon;
beforeAll(async () => {
  const env = { SVCD_ADMIN_FORCE_SEAL: '1', SVCD_RETENTION_DAYS: '30', SVCD_FEATURE_LEGAL_HOLD: '1' };
  daemon = await startDaemon({ env });
  keeping = await startDaemon({ database: daemon.database });
});
afterAll(async () => {
  await keeping.close();
  await daemon.close();
});

const put = (entity: string, key: string, value: string, more: object = {}) =>
  sendOk(daemon.call, 'PUT', '/v1/facts', { entity, key, value, ...more });
const list = () => sendOk(daemon.call, 'GET', '/v1/facts/list?limit=200&include_reserved=1');
const compact = (by: TestDaemon, body: object = {}) => sendOk(by.call, 'POST', '/v1/admin/compact-facts', body);

/** Of the look at all facts against the receipts that bind them. */
const faultsOfFacts = (): Promise<string[]> => {
  const keys = daemon.app.get(KnownKeys, { strict: false });
  return daemon.app.get(CrossTenant).run('test', async (query) => {
    const look = await EvidenceLook.begin(query, { checks: [new FactBatches()], keys });
    const faults: string[] = [];
    while (!look.isOver) faults.push(...(await look.step(query, 1000)).map(({ detail }) => detail));
    return faults;
  });
};

describe('the routes of operators', () => {
  it('say what the daemon is', async () => {
    const version = await sendOk(daemon.call, 'GET', '/v1/admin/version');
    expect(version).toMatchObject({ node: process.version, pid: process.pid, supervised: false });
    expect(version.migrations.applied).toBe(version.migrations.known);
    expect(version.flags).toContainEqual({ name: 'SVCD_ADMIN_FORCE_SEAL', on: true });
    expect((await daemon.as({ scopes: 'facts:read' })('GET', '/v1/admin/version')).status).toBe(403);
  });

  it('do not restart what nothing would start again', async () => {
    const { status, body } = await daemon.call('POST', '/v1/admin/restart', {});
    expect([status, body.detail]).toEqual([501, expect.stringContaining('SIGTERM')]);
    expect((await daemon.as({ scopes: 'admin:read' })('POST', '/v1/admin/restart', {})).status).toBe(403);
  });

  it('seal what is open, and only where the flag is on', async () => {
    const off = await keeping.call('POST', '/v1/admin/force-seal', {});
    expect([off.status, off.body.flag]).toEqual([404, 'SVCD_ADMIN_FORCE_SEAL']);
    await put('lamp', 'oil', 'Colza.');
    const sealed = await sendOk(daemon.call, 'POST', '/v1/admin/force-seal', {});
    expect(sealed.facts.open_before).toBeGreaterThan(0);
    expect(sealed.facts.open_after).toBe(0);
    expect(sealed.log.checkpoint).toContain(`\n${sealed.log.size}\n`);
    const receipt = `/v1/receipts/${sealed.receipt_id}/verification?tenant_id=default`;
    expect((await sendOk(daemon.call, 'GET', receipt)).verified).toBe(true);
  });
});

describe('the compaction of facts', () => {
  it('removes what is deleted, for good, and leaves what counts and what holds', async () => {
    const gone = await put('gone:1', 'k', 'Phosphorescent words.');
    await put('gone:1', 'k', 'Phosphorescent words again.');
    await put('kept:1', 'k', 'First.');
    await put('kept:1', 'k', 'Second.');
    const latest = await sendOk(daemon.call, 'GET', '/v1/facts/entity/gone:1');
    await sendOk(daemon.call, 'DELETE', `/v1/facts/${latest.facts[0].fact_id}`);
    const before = await list();
    const done = await compact(keeping);
    expect(done).toMatchObject({ deleted_removed: 2, retired_removed: 0, complete: true, retention_days: null });
    const [left] = await daemon.database.query<{ n: number }>(
      `select count(*)::int as n from fact where value like 'Phosphor%'`,
    );
    expect(left!.n).toBe(0);
    const after = await list();
    expect(after).toEqual(before);
    expect((await daemon.call('GET', `/v1/facts/${gone.fact_id}`)).status).toBe(404);
    expect(await compact(keeping)).toMatchObject({ deleted_removed: 0, receipt_id: null, compaction_id: null });
    const again = await put('gone:1', 'k', 'Back.');
    expect(again.version).toBe(4);
    expect((await sendOk(daemon.call, 'GET', '/v1/facts?query=second')).facts[0].value).toBe('Second.');
  });

  it('removes old retired versions with SVCD_RETENTION_DAYS, keeps counts, and what is held', async () => {
    for (const entity of ['old:1', 'held:1']) for (const n of [1, 2, 3]) await put(entity, 'k', `Value ${n}.`);
    await daemon.database.query(`update fact set superseded_at = now() - interval '40 days'
      where superseded_at is not null and entity in ('old:1', 'held:1')`);
    const hold = { tenant_id: 'default', reason: 'A case.', entity_prefixes: ['held:'] };
    await sendOk(daemon.call, 'POST', '/v1/legal-holds', hold);
    expect(await compact(keeping)).toMatchObject({ retired_removed: 0 });
    const before = await list();
    expect(await compact(daemon, { limit: 1 })).toMatchObject({ retired_removed: 1, held: 2, complete: false });
    expect(await compact(daemon)).toMatchObject({ retired_removed: 1, held: 2, complete: true, retention_days: 30 });
    const after = await list();
    expect([after.total_visible, after.total_nondeleted]).toEqual([
      ...[before.total_visible - 2, before.total_nondeleted - 2],
    ]);
    expect(after.facts).toHaveLength(after.total_visible);
    const versionsOf = (entity: string) =>
      after.facts.filter((one: any) => one.entity === entity).map((one: any) => one.version);
    expect([versionsOf('old:1'), versionsOf('held:1')]).toEqual([[3], [3, 2, 1]]);
    await put('old:1', 'k', 'Value 4.');
    const { facts } = await sendOk(daemon.call, 'GET', '/v1/facts/entity/old:1');
    await sendOk(daemon.call, 'DELETE', `/v1/facts/${facts[0].fact_id}`);
    expect((await list()).total_visible).toBe(after.total_visible - 1);
  });

  it('leaves evidence that holds', async () => {
    // What was made older above is found; it is as it was again.
    expect(new Set((await faultsOfFacts()).map((fault) => fault.replace(/\S+ of/, '... of')))).toEqual(
      new Set(['fact ... of tenant default does not say what follows it']),
    );
    await daemon.database.query(`update fact f set superseded_at = n.stored_at from fact n
      where n.tenant_id = f.tenant_id and n.fact_id = f.superseded_by and f.entity = 'held:1'`);
    const audit = daemon.app.get(EvidenceAudit, { strict: false });
    await daemon.app.get(LogSequencer, { strict: false }).integrate();
    expect(await audit.verifyChain()).toMatchObject({ ok: true, faults: [] });
    expect(await audit.verifyLog()).toMatchObject({ ok: true, faults: [] });
    expect(await faultsOfFacts()).toEqual([]);
  });

  it('is of one tenant, and for admin:write', async () => {
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    await sendOk(other, 'PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' });
    const { facts } = await sendOk(other, 'GET', '/v1/facts/entity/e');
    await sendOk(other, 'DELETE', `/v1/facts/${facts[0].fact_id}`);
    await compact(daemon);
    const [left] = await daemon.database.query<{ n: number }>(
      `select count(*)::int as n from fact where tenant_id = 'other' and value = 'v'`,
    );
    expect(left!.n).toBe(1);
    expect((await daemon.as({ scopes: 'facts:write' })('POST', '/v1/admin/compact-facts', {})).status).toBe(403);
    for (const limit of [0, 50_001, 'x'])
      expect((await daemon.call('POST', '/v1/admin/compact-facts', { limit })).status).toBe(400);
  });
});
