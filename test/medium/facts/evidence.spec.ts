import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { EvidenceLook } from '../../../src/common/evidence-log/evidence-look.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { FactBatches } from '../../../src/modules/memory/facts/fact-batches.service.js';
import { FactWrites } from '../../../src/modules/memory/facts/fact-writes.js';
import type { FactDraft } from '../../../src/modules/memory/facts/facts.types.js';
import type { DaemonCall } from '../../kit/daemon.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';

const LIMITS = { bytes: 2 ** 26, ratio: 200, ratioFloor: 2 ** 20, entries: 100 };
const SCOPES = 'query:read facts:write exports:read receipts:read';
const PROGRAM = join(import.meta.dirname, '../../e2e/evidence/independent-export.mjs');
/** Plain JavaScript without types, by path: the independent programs are no part of the build. */
const { judge } = (await import(/* @vite-ignore */ PROGRAM)) as {
  judge(file: Uint8Array): { failed: string | null; detail: string };
};

let daemon: ReceiptsDaemon;
let tenants = 0;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
}, 60_000);
afterAll(() => daemon.close());

/** A caller in a tenant of its own. */
const freshTenant = (): { tenant: string; call: DaemonCall } => {
  const tenant = `evidence-${++tenants}`;
  return { tenant, call: daemon.as({ scopes: SCOPES, passport: 'ada', tenant }) };
};
const put = async (call: DaemonCall, entity: string, key: string, value: string, also: object = {}) => {
  const { status, body } = await call('PUT', '/v1/facts', { entity, key, value, ...also });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body as { fact_id: string; receipt_id: string; version: number; stored_at: string };
};
const exportOf = async (tenant: string, entity: string, query = '') => {
  const url = `${daemon.url}/v1/replay/exports/facts/${encodeURIComponent(entity)}?tenant_id=${tenant}${query}`;
  const headers = { 'x-svc-scopes': SCOPES, 'x-svc-tenant-id': tenant, 'x-svc-passport-id': 'ada' };
  const response = await fetch(url, { headers });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
};
/** The steps that both programs refuse, and what the product says of the contents. */
const verdictOf = async (bytes: Uint8Array) => {
  const { checks } = await verifyBundle(bytes, LIMITS, { development: true });
  return {
    failed: checks.filter(({ ok }) => !ok).map(({ name }) => name),
    contents: checks.find(({ name }) => name === 'contents')?.detail ?? '',
    // The daemon of this test runs under a development mode, which the last step refuses.
    independent: judge(bytes).failed,
  };
};
const HOLDS = { failed: [], independent: 'auth-mode' };
const faultsOf = async (tenant: string) => {
  const keys = daemon.app.get(KnownKeys, { strict: false });
  return daemon.app.get(CrossTenant).run('test', async (query) => {
    const look = await EvidenceLook.begin(query, { checks: [new FactBatches()], keys });
    const faults: string[] = [];
    while (!look.isOver) faults.push(...(await look.step(query, 1000)).map(({ detail }) => detail));
    return faults.filter((fault) => fault.includes(`of tenant ${tenant}`));
  });
};
const batchOf = async (receiptId: string) => {
  const rows = await daemon.database.query<{ cose: Buffer }>('select cose from receipt where receipt_id = $1', [
    receiptId,
  ]);
  return openReceipt(Uint8Array.from(rows[0]!.cose)).payload;
};

describe('a group commit of facts', () => {
  it('has one receipt, to whose root each fact has a path', async () => {
    const { tenant, call } = freshTenant();
    await put(call, 'first', 'k', 'registers the tenant');
    const facts = await Promise.all(
      Array.from({ length: 40 }, (_, n) => put(call, 'group', `k${n % 30}`, `value ${n}`)),
    );
    const receipts = new Set(facts.map(({ receipt_id }) => receipt_id));
    const payloads = await Promise.all([...receipts].map(batchOf));
    expect(payloads.reduce((sum, { body }) => sum + Number(body.count), 0)).toBe(40);
    expect(payloads[0]).toMatchObject({
      kind: 'fact.batch',
      actor: 'passport:ada',
      auth_mode: 'dev_scopes',
      subject: 'facts',
    });
    for (const { receipt_id, stored_at } of facts) expect((await batchOf(receipt_id)).occurred_at).toBe(stored_at);
    const { status, bytes } = await exportOf(tenant, 'group');
    expect(status).toBe(200);
    const verdict = await verdictOf(bytes);
    expect(verdict).toMatchObject(HOLDS);
    expect(verdict.contents).toContain('40 facts, 40 bound by receipts');
    expect(await faultsOf(tenant)).toEqual([]);
  });

  it('is one for what waits together', async () => {
    const { tenant, call } = freshTenant();
    await put(call, 'first', 'k', 'registers the tenant');
    const writes = daemon.app.get(FactWrites, { strict: false });
    const by = { principal: 'sub:ada', authType: 'dev_scopes' };
    const draft = (n: number): FactDraft => ({
      ...{
        fact_id: crypto.randomUUID(),
        owner: '',
        visibility: 0,
        entity: 'e',
        key: `k${n}`,
        value: 'v',
        path: 'body',
      },
      ...{
        actor: 'ada',
        actor_claimed: false,
        written_by: 'sub:ada',
        confidence: 1,
        horizon_class: 'durable',
        tokens: 1,
      },
    });
    const stored = await Promise.all(Array.from({ length: 40 }, (_, n) => writes.add(tenant, [draft(n)], by)));
    expect(new Set(stored.flat().map(({ receipt_id }) => receipt_id)).size).toBe(1);
  });

  it('is in a chain that holds, next to those of deletions, lists and imports', async () => {
    const { tenant, call } = freshTenant();
    await put(call, 'e', 'k', 'one');
    const two = await put(call, 'e', 'k', 'two');
    expect((await call('DELETE', `/v1/facts/${two.fact_id}`)).status).toBe(200);
    await put(call, 'e', 'k', 'three');
    const bulk = Array.from({ length: 70 }, (_, n) => ({
      entity: 'e',
      key: `k${n % 60}`,
      value: `${n}`,
      confidence: 0.1,
    }));
    const { body } = await call('PUT', '/v1/facts/bulk', bulk);
    expect(new Set((body.facts as { receipt_id: string }[]).map(({ receipt_id }) => receipt_id)).size).toBe(1);
    await put(call, 'e', 'own', 'mine', { private: true });
    for (const format of ['json', 'cbor', 'zip']) {
      const verdict = await verdictOf((await exportOf(tenant, 'e', `&format=${format}`)).bytes);
      expect([format, verdict]).toMatchObject([format, HOLDS]);
      expect(verdict.contents).toContain('75 facts, 75 bound by receipts');
    }
    expect(await faultsOf(tenant)).toEqual([]);
    expect((await daemon.app.get(EvidenceAudit, { strict: false }).verifyChain()).faults).toEqual([]);
  });

  it('binds a deletion of a fact whose confidence no 32-bit float is exactly', async () => {
    const { tenant, call } = freshTenant();
    const { fact_id: id } = await put(call, 'buoy', 'colour', 'red', { confidence: 0.95 });
    expect((await call('DELETE', `/v1/facts/${id}`)).status).toBe(200);
    expect(await faultsOf(tenant)).toEqual([]);
    expect(await verdictOf((await exportOf(tenant, 'buoy')).bytes)).toMatchObject(HOLDS);
  });

  it('shows a fact with a value withheld, and nothing by which it could be guessed', async () => {
    const { tenant, call } = freshTenant();
    const { fact_id } = await put(call, 'person', 'blood', 'AB+');
    const { bytes } = await exportOf(tenant, 'person', '&redaction=content');
    const text = Buffer.from(bytes).toString();
    expect([text.includes('AB+'), text.includes(fact_id), text.includes('blood')]).toEqual([false, false, true]);
    expect(await verdictOf(bytes)).toMatchObject(HOLDS);
    const partly = await exportOf(tenant, 'person', '&redaction=receipt_id');
    expect(await verdictOf(partly.bytes)).toMatchObject(HOLDS);
  });
});

describe('an entity of which facts were compacted', () => {
  it('is exported without them, as not complete, and what else is deleted is damage', async () => {
    const { tenant, call } = freshTenant();
    const admin = daemon.as({ scopes: 'admin:read admin:write', tenant });
    const retire = async (value: string) => {
      const { fact_id: id } = await put(call, 'lamp', 'oil', value);
      expect((await call('DELETE', `/v1/facts/${id}`)).status).toBe(200);
    };
    await put(call, 'lamp', 'wick', 'cotton');
    await put(call, 'lamp', 'wick', 'linen');
    await retire('colza');
    const compact = async () => (await admin('POST', '/v1/admin/compact-facts', {})).body;
    expect(await compact()).toMatchObject({ deleted_removed: 1, complete: true });
    const found = async () => {
      const { status, bytes } = await exportOf(tenant, 'lamp');
      const verdict = await verdictOf(bytes);
      return { status, ...verdict, complete: JSON.parse(Buffer.from(bytes).toString()).manifest.complete };
    };
    const bound = (count: number) => expect.stringContaining(`${count} facts, ${count} bound by receipts`);
    expect(await found()).toMatchObject({ status: 200, ...HOLDS, contents: bound(3), complete: false });
    // The second deletion leaves a gap between two tombstones.
    await retire('whale');
    expect(await compact()).toMatchObject({ deleted_removed: 1 });
    expect(await found()).toMatchObject({ status: 200, ...HOLDS, contents: bound(3), complete: false });
    await daemon.tamper(`delete from fact where tenant_id = '${tenant}' and value = 'cotton'`);
    expect((await exportOf(tenant, 'lamp')).status).toBe(500);
  });
});

describe('who wrote', () => {
  it('is the principal of the credential; an actor that differs is kept as a claim', async () => {
    const { tenant, call } = freshTenant();
    const claimed = await put(call, 'e', 'k', 'v', { actor: 'the pope' });
    const own = await put(call, 'e', 'l', 'v', { actor: 'passport:ada' });
    const read = async (id: string) => (await call('GET', `/v1/facts/${id}`)).body as object;
    expect(await read(claimed.fact_id)).toMatchObject({
      actor: 'the pope',
      actor_claimed: true,
      written_by: 'passport:ada',
    });
    expect(await read(own.fact_id)).toMatchObject({ actor: 'passport:ada', written_by: 'passport:ada' });
    expect(await read(own.fact_id)).not.toHaveProperty('actor_claimed');
    const text = Buffer.from((await exportOf(tenant, 'e')).bytes).toString();
    expect(text).toContain('the pope');
  });

  it('stands in the receipt where one wrote all, and in the facts where several did', async () => {
    const { tenant, call } = freshTenant();
    await put(call, 'e', 'k', 'v');
    const bob = daemon.as({ scopes: SCOPES, passport: 'bob', tenant });
    const actorsOfRound = async () => {
      const facts = await Promise.all(
        Array.from({ length: 16 }, (_, n) => put(n % 2 ? bob : call, 'both', `k${n}`, 'v')),
      );
      return (await Promise.all(facts.map(({ receipt_id }) => batchOf(receipt_id)))).map(({ actor }) => actor);
    };
    // Who shares a batch is a matter of timing.
    await expect.poll(actorsOfRound, { timeout: 30_000 }).toContain('several');
    expect(await verdictOf((await exportOf(tenant, 'both')).bytes)).toMatchObject(HOLDS);
  });
});

describe('sources', () => {
  it('are bound by a digest that the export shows, and withheld with what could be guessed by it', async () => {
    const { tenant, call } = freshTenant();
    const cited = await put(call, 'cited', 'k', 'v');
    await put(call, 'e', 'k', 'v', { sources: [cited.fact_id, cited.receipt_id] });
    await put(call, 'e', 'other', 'v');
    const { bytes } = await exportOf(tenant, 'e');
    expect(Buffer.from(bytes).toString()).toContain('sources_digest');
    expect(await verdictOf(bytes)).toMatchObject(HOLDS);
    expect(await verdictOf((await exportOf(tenant, 'e', '&redaction=content')).bytes)).toMatchObject(HOLDS);
    expect(await faultsOf(tenant)).toEqual([]);
    await daemon.database.query(
      `update fact set sources_digest = 'sha256:${'0'.repeat(64)}' where tenant_id = $1 and sources_digest is not null`,
      [tenant],
    );
    expect(await faultsOf(tenant)).toEqual([expect.stringContaining('was changed')]);
    expect((await exportOf(tenant, 'e')).status).toBe(500);
  });
});

describe('source_receipt', () => {
  it('names a receipt of the tenant', async () => {
    const { tenant, call } = freshTenant();
    const { receipt_id } = await put(call, 'e', 'k', 'v');
    const [search] = [await daemon.recordRetrieval(tenant)];
    await put(call, 'e', 'of a receipt', 'v', { source_receipt: receipt_id });
    await put(call, 'e', 'of a search', 'v', { source_receipt: search });
    expect(await verdictOf((await exportOf(tenant, 'e')).bytes)).toMatchObject(HOLDS);
  });

  it('that is unknown, malformed or of another tenant is refused, and what came with it is stored', async () => {
    const { call } = freshTenant();
    const other = freshTenant();
    const foreign = await put(other.call, 'e', 'k', 'v');
    await put(call, 'e', 'k', 'v');
    const wrong = [
      foreign.receipt_id,
      crypto.randomUUID(),
      'receipt-1',
      `blake3:${'0'.repeat(64)}`,
      foreign.receipt_id.toUpperCase(),
    ];
    const answers = await Promise.all([
      ...wrong.map((source_receipt) => call('PUT', '/v1/facts', { entity: 'e', key: 'w', value: 'v', source_receipt })),
      call('PUT', '/v1/facts', { entity: 'e', key: 'good', value: 'v' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...wrong.map(() => 400), 201]);
    expect(answers[0].body.issues[0].path).toBe('body.source_receipt');
    const bulk = [
      { entity: 'e', key: 'a', value: 'v' },
      { entity: 'e', key: 'b', value: 'v', source_receipt: 'x' },
    ];
    const refused = await call('PUT', '/v1/facts/bulk', bulk);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'body[1].source_receipt']);
    expect((await call('GET', '/v1/facts/list?q=a')).body.facts).toEqual([]);
  });
});

describe('what is changed by SQL', () => {
  const attack = async (sql: string, { expected, refuses = true }: { expected: RegExp; refuses?: boolean }) => {
    const { tenant, call } = freshTenant();
    await put(call, 'e', 'k', 'one');
    await put(call, 'e', 'k', 'two', { confidence: 0.3, valid_from: '2020-01-01T00:00:00Z' });
    await put(call, 'e', 'l', 'other');
    await daemon.tamper(sql.replaceAll('TENANT', `tenant_id = '${tenant}'`));
    const faults = await faultsOf(tenant);
    expect([sql, faults.some((fault) => expected.test(fault))]).toEqual([sql, true]);
    if (refuses) expect([sql, (await exportOf(tenant, 'e')).status]).toEqual([sql, 500]);
  };

  it.each([
    ["value = 'forged'"],
    ["actor = 'forged'"],
    ["written_by = 'forged'"],
    ['actor_claimed = not actor_claimed'],
    ["entity = 'e2'"],
    ["key = 'forged'"],
    ['version = version + 7'],
    ["stored_at = stored_at - interval '1 hour'"],
    ['valid_to = now()'],
    ['confidence = 0.5'],
    ["tenant_hash = 'x'"],
    ["source_receipt = 'x'"],
    ['tombstone = true'],
    ["horizon_class = 'ephemeral'"],
    ['leaf_index = leaf_index + 1'],
    ['receipt_id = null'],
  ])('in a fact, %s, is named, and not exported', async (change) => {
    await attack(`update fact set ${change} where TENANT and value in ('one', 'two')`, {
      expected: /^fact \S+ of tenant \S+ (was (changed|deleted)|[^ ]*: no receipt)/,
    });
  });

  it('a fact deleted, a batch forgotten, and a fact hidden are named', async () => {
    await attack(`delete from fact where TENANT and value = 'two'`, { expected: /was deleted/ });
    await attack(`delete from fact where TENANT and value = 'other'`, { expected: /was deleted/ });
    await attack(`delete from fact_batch where TENANT`, { expected: /leaves are gone/ });
    await attack(`update fact_batch set leaves = sha256('x') where TENANT`, { expected: /do not make the root/ });
    await attack(`update fact set deleted_at = now() where TENANT and value = 'two'`, {
      expected: /what follows/,
      refuses: false,
    });
    await attack(`update fact set superseded_by = null where TENANT and value = 'one'`, {
      expected: /what follows/,
      refuses: false,
    });
  });

  it('a fact inserted is named, with a receipt and without one', async () => {
    const copied = (also: string) => `
      insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens, stored_at,
        written_by, receipt_id, leaf_index)
      select tenant_id, nextval('fact_seq'), gen_random_uuid(), chain, version + 1, visibility, owner, entity, key, 'forged', actor, confidence, horizon_class,
        tokens, ${also} from fact where TENANT and value = 'two'`;
    await attack(copied('stored_at, written_by, receipt_id, leaf_index'), { expected: /no receipt speaks of it/ });
    await attack(copied("stored_at + interval '1 second', null, null, null"), {
      expected: /no receipt speaks of it/,
    });
  });

  it('leaves what a release before stored, marked as unproven', async () => {
    const { tenant, call } = freshTenant();
    await put(call, 'first', 'k', 'registers the tenant');
    const draft = {
      fact_id: crypto.randomUUID(),
      owner: '',
      visibility: 0,
      entity: 'old',
      key: 'k',
      value: 'v',
      actor: 'a',
      confidence: 1,
      horizon_class: 'durable',
      tokens: 1,
    };
    await daemon.database.query('select * from svc_store_facts($1, $2)', [tenant, JSON.stringify([[draft]])]);
    await daemon.tamper(`update fact set stored_at = '2020-01-01' where tenant_id = '${tenant}' and entity = 'old'`);
    const { status, bytes } = await exportOf(tenant, 'old');
    expect(status).toBe(200);
    const verdict = await verdictOf(bytes);
    // It has no record, and so no development mode.
    expect(verdict).toMatchObject({ failed: [], independent: null });
    expect(verdict.contents).toContain('1 UNPROVEN');
    expect((await call('GET', `/v1/facts/${draft.fact_id}`)).body).toMatchObject({
      receipt_id: null,
      written_by: null,
    });
    expect(await faultsOf(tenant)).toEqual([]);
  });
});
