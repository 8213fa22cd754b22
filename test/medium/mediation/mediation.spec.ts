import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { sha256 } from '../../../src/evidence/sha256.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { startUpstream, type TestUpstream } from '../../kit/upstream.js';
import { must } from '../work/given.js';

const DRAFTS = '/v1/mediation/drafts';
const answer = { status: 200, body: '{"drafted":true}' };
let engine: TestUpstream;
let daemon: TestDaemon;
let plain: TestDaemon;
beforeAll(async () => {
  engine = await startUpstream();
  const env = {
    ...{ SVCD_ENGINE_BASE_URL: engine.url, SVCD_ENGINE_API_KEY: 'key-of-the-engine', SVCD_ENGINE_TIMEOUT_MS: '2000' },
    ...{ SVCD_STREAM_RECEIPTS: '1', SVCD_FEATURE_USAGE_RECEIPTS: '1' },
  };
  daemon = await startDaemon({ env });
  plain = await startDaemon({ database: daemon.database, env: { SVCD_ENGINE_BASE_URL: engine.url } });
});
beforeEach(() => {
  engine.answer = answer;
  engine.asked.length = 0;
});
afterAll(async () => {
  await plain.close();
  await daemon.close();
  await engine.close();
});

const of = (tenant: string, on = daemon): DaemonCall => on.as({ scopes: ALL_SCOPES, tenant, passport: 'ada' });
const draft = (by: DaemonCall, kind = 'answer', headers?: Record<string, string>) =>
  by('POST', DRAFTS, { kind, payload: { say: 'hällo' } }, headers);

describe('a draft', () => {
  it('goes to the engine as it is, with its answer back, and leaves a receipt without what it said', async () => {
    const acme = of('acme');
    const sent = await must(draft(acme));
    expect(sent).toMatchObject({ kind: 'answer', answer: { drafted: true }, engine_status: 200 });
    const salt = Buffer.from(sent.salt, 'hex');
    const digestOf = (value: unknown) => sha256(salt, canonicalJson(value)).toString('hex');
    expect(sent.payload_digest).toBe(digestOf({ say: 'hällo' }));
    expect(sent.answer_digest).toBe(digestOf({ drafted: true }));
    expect(engine.asked).toMatchObject([
      {
        ...{ method: 'POST', url: '/engine/v2/drafts' },
        body: { draft_id: sent.draft_id, kind: 'answer', payload: { say: 'hällo' } },
      },
    ]);
    const verified = await must(acme('GET', `/v1/receipts/${sent.receipt_id}/verification?tenant_id=acme`));
    expect(verified.verified).toBe(true);
    const kept = await must(acme('GET', `/v1/receipts/${sent.receipt_id}?tenant_id=acme`));
    const receipt = JSON.stringify(kept) + Buffer.from(kept.payload_base64 ?? '', 'base64').toString('latin1');
    expect(receipt).toContain(sent.payload_digest);
    expect(receipt).not.toContain('hällo');
    const other = await of('globex')('GET', `/v1/receipts/${sent.receipt_id}?tenant_id=globex`);
    expect(other.status).toBe(404);
  });

  it('goes without a header of the request: no credential, cookie or hop of it', async () => {
    const headers = {
      ...{ cookie: 'a=b', 'proxy-authorization': 'Basic x', te: 'trailers', 'x-forwarded-for': '10.0.0.1' },
      'x-api-key': 'mine',
    };
    await must(draft(of('acme'), 'answer', headers));
    const { headers: got } = engine.asked[0]!;
    expect(got.authorization).toBe('Bearer key-of-the-engine');
    expect(got).toMatchObject({ 'x-svc-tenant-id': 'acme', 'x-svc-principal': 'passport:ada' });
    for (const name of [...Object.keys(headers), 'x-svc-scopes']) expect([name, got[name]]).toEqual([name, undefined]);
  });

  it.each(['stream', 'context', 'usage_ping'])('of the kind %s needs its flag', async (kind) => {
    await must(draft(of('acme'), kind));
    const { body } = await draft(of('acme', plain), kind);
    expect(body).toMatchObject({ status: 422, code: 'DRAFT_REJECTED', kind });
    expect(body.detail).toContain(`${body.flag}=1`);
    expect(engine.asked).toHaveLength(1);
    await must(draft(of('acme', plain)));
  });

  it('has a receipt as well where the engine refuses it', async () => {
    engine.answer = { status: 422, body: '{"error":"no"}' };
    const { body } = await draft(of('acme'));
    expect(body).toMatchObject({ status: 502, code: 'ENGINE_FAILED', outcome: 'refused', engine_status: 422 });
    const path = `/v1/receipts/${body.receipt_id}/verification?tenant_id=acme`;
    expect((await must(of('acme')('GET', path))).verified).toBe(true);
  });

  it('is not followed where the engine redirects', async () => {
    const other = await startUpstream();
    engine.answer = { status: 307, body: '{}', headers: { location: other.url } };
    expect((await draft(of('acme'))).body).toMatchObject({ status: 502, outcome: 'away', engine_status: null });
    expect(other.asked).toEqual([]);
    await other.close();
  });

  it.each([
    ['is late', 'hang' as const, 'within 2000 ms'],
    ['answers no JSON', { status: 200, body: '<html>' }, 'no JSON'],
    ['answers without end', { status: 200, body: `"${'x'.repeat(4 * 1024 * 1024)}"` }, 'more than 4194304 bytes'],
    ['answers a lone surrogate', { status: 200, body: '{"x":"\\ud800"}' }, 'lone surrogate'],
    ['answers a number that is none', { status: 200, body: '[1e999]' }, 'too great'],
    ['answers depth without end', { status: 200, body: `${'['.repeat(60_000)}${']'.repeat(60_000)}` }, '32 levels'],
    ['refuses with a lone surrogate', { status: 422, body: '"\\ud800"' }, 'answered 422 and'],
  ])('is 502 with a receipt where the engine %s', async (_, said, detail) => {
    engine.answer = said;
    const { body } = await draft(of('acme'));
    expect(body).toMatchObject({ status: 502, outcome: 'away', receipt_id: expect.any(String) });
    expect(body.detail).toContain(detail);
    expect(JSON.stringify(body)).not.toContain(engine.url);
  });

  it('is not sent under a lease that has ended', async () => {
    const { body } = await draft(of('acme'), 'answer', { 'x-svc-fence': '4000000000' });
    expect(body).toMatchObject({ status: 409, code: 'FENCE_STALE' });
    expect(engine.asked).toEqual([]);
  });

  it('is refused before it is sent where it is not one', async () => {
    for (const body of [
      {},
      { kind: 'answer' },
      { kind: 'other', payload: 1 },
      { kind: 'answer', payload: 1, url: 'x' },
    ])
      expect((await of('acme')('POST', DRAFTS, body)).status).toBe(400);
    const reader = daemon.as({ scopes: 'query:read', tenant: 'acme' });
    expect((await draft(reader)).status).toBe(403);
    expect(engine.asked).toEqual([]);
  });
});

it('says which kinds it takes', async () => {
  const enabled = async (by: DaemonCall) =>
    (await must(by('GET', '/v1/mediation/status'))).drafts
      .filter((one: any) => one.enabled)
      .map((one: any) => one.kind);
  expect(await enabled(of('acme'))).toEqual(['answer', 'stream', 'context', 'usage_ping']);
  expect(await enabled(of('acme', plain))).toEqual(['answer']);
});
