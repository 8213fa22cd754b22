import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { keyOn } from '../../kit/tenant-fixture.js';
import { ended } from '../proofs/given.js';
import { json, startStubUpstream } from '../proofs/stub-upstream.js';
import { lift, mark } from '../shield/given.js';
import { alertsOf, given, passage } from '../watches/given.js';

let api: TestApi;
let acme: TestTenant;
let chunkId: string;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  await given(acme, 'leave', 'Everyone has 25 days of leave.');
  chunkId = await passage(acme, 'days of leave');
});
afterAll(() => api.close());

const TEXT = 'You have 25 days.';
const answer = (more: object = {}) => ({ answerText: TEXT, citations: [{ chunkId, quote: '25 days' }], ...more });
const record = (more: object = {}, tenant = acme, headers: Record<string, string> = {}) =>
  tenant.call('POST', '/v1/answers', answer(more), headers);
const read = (answerId: string, tenant = acme) => tenant.call('GET', `/v1/answers/${encodeURIComponent(answerId)}`);

/** The tenant by its key at another server of the database. */
const at = ({ url }: TestApi): TestTenant => ({ ...acme, call: keyOn(url, acme) });

/** How many rows there are of everything that a recording leaves. */
async function rowsOf(tenantId: string): Promise<Record<string, number>> {
  const tables = ['answer', 'citation', 'watch', 'proof_job', 'receipt', 'ledger_transfer'];
  const counts = tables.map((table) => `(select count(*)::int from ${table} where tenant_id = $1) as ${table}`);
  const [row] = await api.database.query<Record<string, number>>(`select ${counts.join(', ')}`, [tenantId]);
  return row!;
}

describe('an answer', () => {
  it('is recorded, proven and watched by one call, and read with what has become of it', async () => {
    const { status, body } = await record({ answerId: 'a/1', agentId: 'clerk', prove: 'light', watch: true });
    expect([status, body]).toEqual([
      201,
      {
        ...{
          answerId: 'a/1',
          version: 1,
          agentId: 'clerk',
          recordedAt: expect.stringMatching(/Z$/),
          retrievalId: null,
        },
        ...{ receiptId: expect.any(String), answerHash: expect.stringMatching(/^blake3:/), citationCount: 1 },
        citations: [expect.objectContaining({ chunkId, docId: 'leave', quote: '25 days', start: 13, end: 20 })],
        proof: expect.objectContaining({ status: 'queued', subject: { type: 'answer', id: 'a/1', version: 1 } }),
        watch: expect.objectContaining({ targetType: 'answer', targetId: 'a/1', agentId: 'clerk', active: true }),
      },
    ]);
    const proof = await ended(acme, body.proof.jobId);
    expect(proof.verdict).toBe('holds');
    const first = await read('a/1');
    expect([first.status, first.body]).toEqual([
      200,
      {
        ...{ answerId: 'a/1', version: 1, agentId: 'clerk', answerText: TEXT, metadata: null, state: 'holds' },
        ...{ recordedAt: body.recordedAt, receiptId: body.receiptId, retrievalId: null, proof },
        citations: [{ ...body.citations[0], title: 'About leave', url: 'https://example.com/leave', state: 'holds' }],
        watches: [body.watch],
      },
    ]);

    await given(acme, 'leave', 'Everyone has 30 days of leave.');
    await expect.poll(() => alertsOf(acme, body.watch), { timeout: 15_000 }).toHaveLength(1);
    expect((await read('a/1')).body).toMatchObject({
      state: 'drifted',
      citations: [{ state: 'drifted', current: false, chunkId }],
      watches: [{ watchId: body.watch.watchId, alertCount: 1 }],
    });
    await given(acme, 'leave', 'Everyone has 25 days of leave.');
  });

  it('that is recorded again is a new version under the same watch', async () => {
    const [one, two] = [
      await record({ answerId: 'again', watch: true }),
      await record({ answerId: 'again', watch: true, metadata: { ticket: 7 }, prove: 'audit' }),
    ];
    expect([two.status, two.body.version, two.body.watch.watchId]).toEqual([201, 2, one.body.watch.watchId]);
    expect((await read('again')).body).toMatchObject({
      ...{ version: 2, metadata: { ticket: 7 }, receiptId: two.body.receiptId },
      proof: { jobId: two.body.proof.jobId, subject: { version: 2 } },
    });
    const other = await record({ answerId: 'again', agentId: 'other' });
    expect([other.status, other.body.type]).toEqual([409, 'AnswerOfAnotherAgent']);
  });

  it('gets an id where it has none, once a key', async () => {
    const key = { 'x-idempotency-key': crypto.randomUUID() };
    const [first, again] = [await record({}, acme, key), await record({}, acme, key)];
    expect(first.body).toMatchObject({ answerId: expect.stringMatching(/^[0-9a-f-]{36}$/), proof: null, watch: null });
    expect(again.body).toEqual(first.body);
    const named = await record({ idempotencyKey: crypto.randomUUID() }, acme, { 'x-idempotency-key': '' });
    expect([named.status, (await read(first.body.answerId)).body.watches]).toEqual([201, []]);
  });

  it('that nobody recorded is 404 by its id, and another tenant has none of it', async () => {
    const other = await api.addTenant('other');
    for (const [answerId, tenant] of [
      ['nobody', acme],
      ['a/1', other],
    ] as const) {
      const { status, body } = await read(answerId, tenant);
      expect([status, body.type, body.answerId]).toEqual([404, 'AnswerUnknown', answerId]);
    }
  });
});

describe('nothing is recorded', () => {
  const refusals: [string, (tenant: TestTenant) => Promise<TestTenant>, object, number, string][] = [
    ['a passage that nobody has', async (t) => t, { citations: [{ chunkId: 'x' }] }, 400, 'ValidationFailed'],
    ['an answer without a text', async (t) => t, { answerText: undefined }, 400, 'ValidationFailed'],
    ['a mode of no proof', async (t) => t, { prove: 'thorough' }, 400, 'ValidationFailed'],
    ['a proof without the credits', drained, { prove: 'audit', watch: true }, 429, 'CreditsExhausted'],
    ['a watch of the free tier', () => api.addTenant('free', 'free'), { watch: true }, 403, 'Forbidden'],
    ['a watch too many', crowded, { watch: true, prove: 'light' }, 409, 'WatchLimitReached'],
  ];

  async function drained(tenant: TestTenant): Promise<TestTenant> {
    const { balance } = (await tenant.call('GET', '/v1/economy/dashboard/default-agent')).body;
    await api.database.query(
      `select svc_spend($1, gen_random_uuid(), 'x', $2, 'revenue', 'test', 'drain', 'test', null, 60000)`,
      [tenant.tenantId, balance - 4],
    );
    return tenant;
  }

  async function crowded(tenant: TestTenant): Promise<TestTenant> {
    await api.database.query(
      `insert into watch (tenant_id, watch_id, principal, agent_id, target_type, target_id, resolved_type)
       select $1, gen_random_uuid(), 'key:x', 'x', 'document', n::text, 'document' from generate_series(1, 2000) n`,
      [tenant.tenantId],
    );
    return tenant;
  }

  it.each(refusals)('for %s', async (name, make, more, status, type) => {
    const fresh = await api.addTenant(`t-${refusals.findIndex(([one]) => one === name)}`);
    const tenant = await make(fresh);
    await given(tenant, 'leave', 'Everyone has 25 days of leave.');
    const own = await passage(tenant, 'days of leave');
    const before = await rowsOf(tenant.tenantId);
    const refused = await record({ citations: [{ chunkId: own }], answerId: 'none', ...more }, tenant);
    expect([refused.status, refused.body.type]).toEqual([status, type]);
    expect(await rowsOf(tenant.tenantId)).toEqual(before);
    expect((await read('none', tenant)).status).toBe(404);
  });

  it.each([
    ['POST /v1/proof/jobs', { prove: 'light' }],
    ['POST /v1/watches', { watch: true }],
  ])('for a part that a switch on %s stops', async (target, part) => {
    // A proof of before may end meanwhile, with a receipt of its own.
    const ofRecordings = async () => ({ ...(await rowsOf(acme.tenantId)), receipt: 0, ledger_transfer: 0 });
    const stop = await mark(acme, target, 'deny');
    const before = await ofRecordings();
    const refused = await record(part);
    expect([refused.status, refused.body.type]).toEqual([403, 'ShieldDenied']);
    expect(await ofRecordings()).toEqual(before);
    expect((await record()).status).toBe(201);
    await lift(acme, stop);
    expect((await record(part)).status).toBe(201);
  });

  it('for a part whose feature is off, which is not shown either', async () => {
    await record({ answerId: 'gated', prove: 'light', watch: true });
    const gated = await startApi({
      database: api.database,
      env: { FEATURE_WATCHES: '0', FEATURE_PROOFS: '0' },
    });
    const tenant = at(gated);
    const before = await rowsOf('acme');
    for (const [part, feature] of [
      [{ prove: 'light' }, 'FEATURE_PROOFS'],
      [{ watch: true }, 'FEATURE_WATCHES'],
    ] as const) {
      const { status, body } = await record({ answerId: 'none', ...part }, tenant);
      expect([status, body.type, body.feature]).toEqual([412, 'FeatureDisabled', feature]);
    }
    const now = await rowsOf('acme');
    expect({ ...now, receipt: 0 }).toEqual({ ...before, receipt: 0 });
    expect((await read('gated', tenant)).body).toMatchObject({ answerId: 'gated', watches: [], proof: null });
    expect((await record({}, tenant)).status).toBe(201);
    await gated.close();
  });
});

describe('answers at once', () => {
  it('wait for each other and for audit retrievals, and none is refused', { timeout: 60_000 }, async () => {
    const search = { query: 'days of leave', lane: 'audit', agentId: 'busy' };
    const calls = Array.from({ length: 24 }, (_, i) =>
      i % 2 === 0
        ? record({ agentId: 'busy', answerId: `busy-${i % 6}`, prove: 'audit', watch: true })
        : acme.call('POST', '/v1/retrieve', search),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, i) => (i % 2 === 0 ? 201 : 200)));
  });
});

describe('a proof by another server', () => {
  it('is ordered with the answer, and not where a citation does not fit', async () => {
    const upstream = await startStubUpstream();
    const env = {
      SVC_PROOF_UPSTREAM_URL: `${upstream.url}/`,
      SVC_PROOF_UPSTREAM_TENANT_ID: 'provider',
      SVC_PROOF_UPSTREAM_API_KEY: 'upstream-secret',
    };
    const away = await startApi({ database: api.database, env });
    upstream.answer(json(202, { ok: true, contract: 'svc-proof/1', jobId: 'j1' }));
    const faulty = await record({ citations: [{ chunkId: 'x' }], prove: 'light' }, at(away));
    expect([faulty.status, upstream.seen.length]).toEqual([400, 0]);
    const { status, body } = await record({ answerId: 'away', prove: 'light' }, at(away));
    expect([status, body.proof, body.version]).toEqual([201, { ok: true, contract: 'svc-proof/1', jobId: 'j1' }, 1]);
    expect(upstream.seen[0]!.body).toEqual({
      agentId: 'default-agent',
      answerId: 'away',
      mode: 'light',
    });
    await away.close();
    await upstream.close();
  });
});
