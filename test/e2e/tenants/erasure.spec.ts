import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TENANT_TABLES } from '../../../src/common/database/tenant-tables.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { TenantErasureSweep } from '../../../src/modules/access/tenants/tenant-erasure.sweep.js';
import { secretOf, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makeTenantFixture, SECRET } from '../../kit/tenant-fixture.js';
import { ingest } from '../../medium/retrieval/given.js';
import { SvcCommand } from './given.js';

interface Line {
  table?: string;
  row?: any;
}

let api: TestApi;
let daemon: TestDaemon;
let svc: SvcCommand;
let tables: string[];
let acme: TestTenant;
let reader: TestTenant;

beforeAll(async () => {
  api = await startApi({ env: { FEATURE_SELF_SIGNUP: '1' } });
  daemon = await startDaemon({ database: api.database });
  svc = new SvcCommand(api.database);
  tables = (await api.database.query<{ name: string }>(TENANT_TABLES)).map(({ name }) => name);
  acme = api.tenant;
  reader = await api.addTenant('reader');
  await makeTenantFixture(api, acme);
  await fillDaemon(acme.tenantId);
  await fillDaemon('reader');
  await share();
}, 240_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
  svc.remove();
});

/** Rows in the tables of the memory daemon. */
async function fillDaemon(tenant: string): Promise<void> {
  const call = daemon.as({ scopes: 'facts:write query:read admin:write', tenant });
  for (let n = 0; n < 20; n += 1)
    expect((await call('PUT', '/v1/facts', { entity: 'office', key: `k${n}`, value: `${SECRET} ${n}` })).status).toBe(
      201,
    );
}

/** acme shares a text with all, and sells another to `reader`, who buys it. */
async function share(): Promise<void> {
  await ingest(acme, [
    { docId: 'open', corpusId: 'open', content: 'Quokkas smile at everybody.', shareability: 'public_safe' },
    { docId: 'sold', corpusId: 'sold', content: 'Quokkas smile for money.', shareability: 'entitled_only' },
  ]);
  const bundle = { title: 'Quokkas', description: 'for money', corpora: ['sold'], priceCredits: 7 };
  const { bundleId } = (await acme.call('POST', '/v1/bundles', bundle)).body;
  expect((await reader.call('POST', '/v1/bundles/purchase', { bundleId, agentId: 'a' })).status).toBeLessThan(300);
}

const foundBy = async ({ call }: TestTenant) =>
  (await call('POST', '/v1/retrieve', { query: 'quokkas smile' })).body.results.map(({ docId }: any) => docId).sort();
const onSaleTo = async ({ call }: TestTenant) =>
  (await call('GET', '/v1/bundles')).body.bundles.map(({ title }: any) => title).sort();

/** Rows by table, of one tenant. */
async function countRows(tenantId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await api.database.query<{ n: number }>(
      `select count(*)::int as n from ${table} where tenant_id = $1`,
      [tenantId],
    );
    if (row!.n > 0) counts[table] = row!.n;
  }
  return counts;
}
const jobsOf = async (tenantId: string) =>
  (await api.database.query(`select from pgboss.job where data ->> 'tenantId' = $1`, [tenantId])).length;
const endGrace = (tenantId: string) =>
  api.database.query(`update tenant set erase_after = erase_after - interval '30 days' where tenant_id = $1`, [
    tenantId,
  ]);
const kindsOf = async (tenantId: string) =>
  (
    await api.database.query<{ kind: string }>(`select kind from receipt where tenant_id = $1 order by stream, seq`, [
      tenantId,
    ])
  ).map(({ kind }) => kind);

/** Nothing of the whole database's evidence is amiss, as `svc doctor` looks at it too. */
async function expectSound(): Promise<void> {
  await api.app.get(LogSequencer).integrate();
  const audit = api.app.get(EvidenceAudit);
  expect([(await audit.verifyChain()).faults, (await audit.verifyLog()).faults]).toEqual([[], []]);
  const { checks } = JSON.parse((await svc.run('doctor', '--json')).stdout) as {
    checks: { name: string; ok: boolean }[];
  };
  const amiss = checks.filter(
    ({ name, ok }) => !ok && ['ledger', 'corruption', 'receipt_chain', 'transparency_log'].includes(name),
  );
  expect([checks.length > 10, amiss]).toEqual([true, []]);
}

describe('a tenant that is deleted', { timeout: 300_000 }, () => {
  it('may be exported first, without a secret', async () => {
    const file = join(svc.folder, 'acme.jsonl');
    const { rows } = await svc.json('tenant', 'export', 'acme', file);
    const text = readFileSync(file, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(lines[0]).toMatchObject({ format: 'svc-tenant-export-1', tenant: { tenant_id: 'acme', tier: 'team' } });
    expect([lines.at(-1), lines.length]).toEqual([{ end: true, rows }, rows + 2]);
    const of = (table: string) => lines.filter((line) => line.table === table).map(({ row }) => row);
    expect(
      of('document')
        .map(({ doc_id }) => doc_id)
        .sort(),
    ).toEqual(['a', 'b', 'open', 'sold']);
    expect(of('fact')).toHaveLength(20);
    expect(of('seat').map(({ user_email }) => user_email)).toContain(`owner-${SECRET}@example.org`);
    expect(text).not.toContain(secretOf(acme.apiKey));
    expect(/"(key_hash|token_hash|invite_hash|secret|lookup)"/.exec(text)).toBeNull();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await svc.run('tenant', 'export', 'acme', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists'),
    });
  });

  it('is refused at once, shares nothing any more, and comes back whole', async () => {
    expect([await foundBy(reader), await onSaleTo(reader)]).toEqual([
      ['open', 'sold'],
      ['Quokkas', 'Shared by design'],
    ]);
    const before = await countRows('acme');
    const deleted = await svc.json('tenant', 'delete', 'acme', '--yes', '--reason', 'the contract ended');
    expect(deleted).toMatchObject({ state: 'deleted', changed: true });
    expect(Math.round((Date.parse(deleted.erase_after) - Date.parse(deleted.state_since)) / 86_400_000)).toBe(30);
    expect([await foundBy(reader), await onSaleTo(reader)]).toEqual([[], []]);
    await expect.poll(async () => (await acme.call('GET', '/v1/corpora')).status, { timeout: 2_000 }).toBe(401);

    // In the mode without tokens too: its name is not registered again.
    const call = daemon.as({ scopes: 'facts:write query:read', tenant: 'acme' });
    const fact = { entity: 'office', key: 'late', value: 'x' };
    const refused = async () => [
      (await call('PUT', '/v1/facts', fact)).status,
      (await call('GET', '/v1/facts/list')).status,
    ];
    await expect.poll(refused, { timeout: 2_000 }).toEqual([401, 401]);
    expect((await svc.json('tenant', 'delete', 'acme', '--yes')).changed).toBe(false);
    expect(await svc.run('tenant', 'create', 'acme', '--adopt')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was deleted'),
    });
    expect(await svc.run('key', 'create', 'acme')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('svc tenant resume acme'),
    });
    for (const act of [
      ['set-tier', 'acme', 'pro'],
      ['suspend', 'acme', '--reason', 'x'],
    ])
      expect(await svc.run('tenant', ...act)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('bring it back first'),
      });
    await api.app.get(TenantErasureSweep).sweep();

    await svc.json('tenant', 'resume', 'acme', '--reason', 'it was a mistake');
    await expect.poll(async () => (await acme.call('GET', '/v1/corpora')).status, { timeout: 2_000 }).toBe(200);
    expect([await foundBy(reader), await onSaleTo(reader)]).toEqual([
      ['open', 'sold'],
      ['Quokkas', 'Shared by design'],
    ]);
    const after = await countRows('acme');
    const acts = { receipt: before['receipt']! + 2, receipt_head: before['receipt_head']! + 1 };
    expect(after).toMatchObject({
      ...acts,
      chunk: before['chunk']!,
      fact: before['fact']!,
      document: before['document']!,
    });
  });

  it('is erased after 30 days, and nothing of others with it', async () => {
    await svc.json('tenant', 'delete', 'acme', '--yes');
    await endGrace('acme');
    const [others, held] = [await countRows('reader'), await countRows('acme')];
    // Most tables of the product have rows here.
    expect(Object.keys(held).length).toBeGreaterThan(55);
    await api.app.get(TenantErasureSweep).sweep();

    const left = await countRows('acme');
    expect(left).toEqual({ outbox_event: 1, receipt: 6, receipt_head: 1, receipt_tally: 1 });
    expect([await kindsOf('acme'), await jobsOf('acme')]).toEqual([
      [
        'tenant.deleted',
        'tenant.resumed',
        'tenant.deleted',
        'tenant.records_erased',
        'tenant.records_erased',
        'tenant.erased',
      ],
      0,
    ]);
    expect(await countRows('reader')).toEqual(others);
    await expectSound();
    // Rows of others still say that they bought of it; there is nothing to find.
    expect([await foundBy(reader), await onSaleTo(reader)]).toEqual([[], []]);
    expect(await svc.json('tenant', 'show', 'acme')).toMatchObject({
      state: 'deleted',
      erased_at: expect.any(String),
      documents: 0,
    });
    for (const [act, message] of [
      [['resume', 'acme', '--reason', 'x'], 'nothing brings it back'],
      [['set-tier', 'acme', 'pro'], 'nothing brings it back'],
      [['create', 'acme', '--adopt'], 'its name is not given to another'],
    ] as const)
      expect(await svc.run('tenant', ...act)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    const write = await daemon.as({ scopes: 'facts:write', tenant: 'acme' })('PUT', '/v1/facts', {
      entity: 'e',
      key: 'k',
      value: 'v',
    });
    expect(write.status).toBe(401);
    await api.app.get(TenantErasureSweep).sweep();
    expect(await kindsOf('acme')).toHaveLength(6);
  });

  it('is erased to the end by the next run, after a kill -9 in the middle', async () => {
    const big = await api.addTenant('big');
    await fillDaemon('big');
    // Transfers that undo others refer to rows of their own table.
    await api.database.query(
      `select svc_move_credits('big', gen_random_uuid(), 'issuance', 'agent:a', 1, 'grant', null, 'svc:cli', 'a', n::text) from generate_series(1, 200) n`,
    );
    await api.database.query(
      `select svc_reverse_transfer('big', gen_random_uuid(), transfer_id, 'refund', null, 'svc:cli', 'undone')
       from ledger_transfer where tenant_id = 'big' and reason = 'grant' limit 50`,
    );
    await api.database.query(
      `insert into outbox_event (tenant_id, event_id, kind, subject, data)
       select 'big', gen_random_uuid(), 'test.happened', n::text, '{}' from generate_series(1, 150000) n`,
    );
    await svc.json('tenant', 'delete', 'big', '--yes');
    const others = await countRows('reader');
    const events = async () =>
      (
        await api.database.query<{ n: number }>(`select count(*)::int as n from outbox_event where tenant_id = 'big'`)
      )[0]!.n;
    const all = await events();
    const erasing = svc.start('tenant', 'erase', 'big', '--now');
    const ended = new Promise((resolve) => erasing.once('exit', (code, signal) => resolve(signal ?? code)));
    while ((await events()) === all) await sleep(5);
    erasing.kill('SIGKILL');
    expect([await ended, (await events()) > 1]).toEqual(['SIGKILL', true]);

    // In the middle of it nothing looks damaged, and nothing brings it back.
    await expectSound();
    expect(await svc.run('tenant', 'resume', 'big', '--reason', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('being erased'),
    });
    expect((await big.call('GET', '/v1/corpora')).status).toBe(401);

    expect((await svc.json('tenant', 'erase', 'big', '--now')).erased_rows).toBeGreaterThan(1_000);
    expect(await countRows('big')).toEqual({ outbox_event: 1, receipt: 3, receipt_head: 1, receipt_tally: 1 });
    expect(await kindsOf('big')).toEqual(['tenant.deleted', 'tenant.records_erased', 'tenant.erased']);
    expect(await countRows('reader')).toEqual(others);
    await expectSound();
  });
});
