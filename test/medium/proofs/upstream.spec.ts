import { get, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ended, givenAnswer, givenDocument, retrieve } from './given.js';
import { json, startStubUpstream, type StubUpstream } from './stub-upstream.js';

const CONTRACT = 'svc-proof/1';
const READS = ['jobs/j1', 'jobs/j1/chunks', 'jobs/j1/receipt', 'answers/a1/receipt', 'receipts/r1/proofpack'];

describe('an upstream of another vendor', () => {
  let upstream: StubUpstream;
  let api: TestApi;
  let acme: TestTenant;
  beforeAll(async () => {
    upstream = await startStubUpstream();
    api = await startApi({
      env: {
        SVC_PROOF_UPSTREAM_URL: `${upstream.url}/`,
        SVC_PROOF_UPSTREAM_TENANT_ID: 'provider',
        SVC_PROOF_UPSTREAM_API_KEY: 'upstream-secret',
        SVC_PROOF_UPSTREAM_TIMEOUT_MS: '400',
      },
    });
    acme = api.tenant;
  });
  afterAll(async () => {
    await api.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    upstream.answer(json(200, { ok: true, contract: CONTRACT }));
  });
  afterEach(() => api.database.query('delete from proof_upstream_claim'));

  const read = (path: string, tenant = acme) => tenant.call('GET', `/v1/proof/${path}`);
  const open = (members: object = {}, headers: Record<string, string> = {}, tenant = acme) =>
    tenant.call('POST', '/v1/proof/jobs', { mode: 'light', answerId: 'a1', ...members }, headers);

  /** A GET whose path no client has tidied up. */
  const rawStatus = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(api.url);
      const headers = { 'x-tenant-id': acme.tenantId, 'x-api-key': acme.apiKey };
      get({ hostname, port, path, headers }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });

  it('is sent the request as it is, under its own tenant and credential', async () => {
    upstream.answer(json(202, { ok: true, contract: CONTRACT, jobId: 'j1', weather: { in: 'London' } }));
    const { status, body } = await open(
      { tenantId: 'acme', idempotencyKey: 'key-of-ours', unusual: [1] },
      { 'x-idempotency-key': '' },
    );
    expect([status, body]).toEqual([202, { ok: true, contract: CONTRACT, jobId: 'j1', weather: { in: 'London' } }]);
    const [{ method, url, headers, body: sent }] = upstream.seen as [(typeof upstream.seen)[number]];
    expect([method, url, headers['x-tenant-id'], headers['x-api-key'], headers['content-type']]).toEqual([
      'POST',
      '/v1/proof/jobs',
      'provider',
      'upstream-secret',
      'application/json',
    ]);
    expect(headers['x-idempotency-key']).toMatch(/^[0-9a-f]{64}$/);
    expect(sent).toEqual({ mode: 'light', answerId: 'a1', agentId: 'default-agent', unusual: [1] });
  });

  it('answers the five reads, further members and all', async () => {
    for (const path of READS) {
      upstream.answer(json(200, { ok: false, contract: CONTRACT, path }));
      const { status, body } = await read(path);
      expect([status, body]).toEqual([200, { ok: false, contract: CONTRACT, path }]);
    }
    expect(upstream.seen.map(({ url }) => url)).toEqual(
      READS.map((path) => `/v1/proof/${path}${path.endsWith('chunks') ? '?limit=50' : ''}`),
    );
  });

  it('is asked for the page the caller wants, and for ids as they were written', async () => {
    await read('jobs/j%2F1%3Fx/chunks?limit=7&cursor=abc');
    expect(upstream.seen[0]!.url).toBe('/v1/proof/jobs/j%2F1%3Fx/chunks?limit=7&cursor=abc');
    expect([await rawStatus('/v1/proof/jobs/%2E%2E'), await rawStatus('/v1/proof/answers/%2e/receipt')]).toEqual([
      404, 404,
    ]);
    expect(upstream.seen).toHaveLength(1);
  });

  it('takes part in idempotency: one repeat, one job', async () => {
    const headers = { 'x-idempotency-key': crypto.randomUUID() };
    const [first, again] = [await open({}, headers), await open({}, headers)];
    expect([first.status, again.status, again.headers.get('x-idempotency-replayed'), upstream.seen.length]).toEqual([
      202,
      202,
      'true',
      1,
    ]);
  });

  it.each<[string, unknown, string[]]>([
    ['another contract', { ok: true, contract: 'svc-proof/2' }, ['svc-proof/2']],
    ['several contracts', { ok: true, contract: 'v2', contracts: ['v2', 'v3'] }, ['v2', 'v3']],
    ['no contract', { ok: true }, []],
    ['a contract that is no text', { ok: true, contract: 1 }, []],
    ['no ok', { contract: CONTRACT }, [CONTRACT]],
    ['an ok that is no boolean', { ok: 'yes', contract: CONTRACT }, [CONTRACT]],
    ['a list', [], []],
    ['null', null, []],
  ])('that drifts is named: %s', async (_what, body, available) => {
    upstream.answer(json(200, body));
    for (const answer of [await open(), ...(await Promise.all(READS.slice(0, 4).map((path) => read(path))))]) {
      expect([answer.status, answer.body]).toEqual([
        502,
        {
          type: 'UpstreamContractDrift',
          title: 'The proof upstream speaks another contract than this server',
          status: 502,
          detail: expect.any(String),
          message: answer.body.detail,
          request_id: expect.any(String),
          code: 'UPSTREAM_CONTRACT_DRIFT',
          retryable: false,
          upstream: upstream.url,
          expected: CONTRACT,
          available,
        },
      ]);
    }
  });

  it('answers packs under their format, or under the contract', async () => {
    const outcomes = [];
    for (const body of [
      { ok: true, format: 'svc-proofpack-v3' },
      { ok: true, contract: CONTRACT },
      { ok: true, format: 'zip' },
      { ok: true, contract: 'other', format: 'svc-proofpack-v3' },
    ]) {
      upstream.answer(json(200, body));
      const { status, body: answered } = await read('receipts/r1/proofpack');
      outcomes.push([status, answered.expected, answered.available]);
    }
    expect(outcomes).toEqual([
      [200, undefined, undefined],
      [200, undefined, undefined],
      [502, 'svc-proofpack-v3', ['zip']],
      [502, CONTRACT, ['other', 'svc-proofpack-v3']],
    ]);
  });

  it.each<[string, (response: ServerResponse) => void, number, string]>([
    ['rubbish', (response) => response.end('<html>'), 502, 'UpstreamContractDrift'],
    ['nothing', (response) => response.end(), 502, 'UpstreamContractDrift'],
    [
      'an answer that breaks off',
      (response) => response.writeHead(200, { 'content-length': '100' }).write('{"ok"', () => response.destroy()),
      503,
      'ServiceUnavailable',
    ],
    ['no answer at all', () => undefined, 503, 'ServiceUnavailable'],
    ['half an answer, for ever', (response) => void response.writeHead(200).write('{'), 503, 'ServiceUnavailable'],
    [
      'a redirection',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      502,
      'UpstreamRefused',
    ],
  ])('that sends %s', async (_what, reply, status, type) => {
    upstream.answer((_seen, response) => void reply(response));
    const answers = [await open(), await read('jobs/j1')];
    expect(answers.map(({ status, body }) => [status, body.type])).toEqual([
      [status, type],
      [status, type],
    ]);
    if (status === 503) expect(answers[0]!.headers.get('retry-after')).toBe('5');
  });

  it.each<[number, object, number, string]>([
    [
      400,
      { type: 'ValidationFailed', message: 'bad', issues: [{ path: 'body.mode', message: 'no' }] },
      400,
      'ValidationFailed',
    ],
    [401, {}, 502, 'UpstreamRefused'],
    [403, {}, 502, 'UpstreamRefused'],
    [404, {}, 404, 'ProofJobUnknown'],
    [409, { type: 'ProofJobUnfinished' }, 409, 'ProofJobUnfinished'],
    [409, { type: 'ProofJobFailed' }, 409, 'ProofJobFailed'],
    [412, {}, 502, 'UpstreamRefused'],
    [413, {}, 413, 'PayloadTooLarge'],
    [418, {}, 502, 'UpstreamRefused'],
    [429, {}, 503, 'ServiceUnavailable'],
    [500, {}, 503, 'ServiceUnavailable'],
    [502, {}, 503, 'ServiceUnavailable'],
    [503, {}, 503, 'ServiceUnavailable'],
  ])('that answers %s %j', async (given, body, status, type) => {
    upstream.answer(json(given, body));
    const answer = await read('jobs/j1/receipt');
    expect([answer.status, answer.body.type]).toEqual([status, type]);
  });

  it('reveals nothing of its credential, and passes its retry-after on', async () => {
    upstream.answer(json(503, {}, { 'retry-after': '17' }));
    const answer = await read('jobs/j1');
    expect([answer.headers.get('retry-after'), answer.body.retryAfterSec]).toEqual(['17', 17]);
    upstream.answer(json(401, { message: 'upstream-secret is wrong' }));
    expect((await read('jobs/j1')).text).not.toContain('upstream-secret');
  });

  it('keeps connections alive, and survives that they are closed', async () => {
    await read('jobs/j1');
    const before = upstream.connections();
    for (let n = 0; n < 5; n++) await read('jobs/j1');
    expect(upstream.connections()).toBe(before);
    upstream.dropConnections();
    expect((await read('jobs/j1')).status).toBe(200);
  });

  it('does not let one tenant read what another uses', async () => {
    const other = await api.addTenant(`other-${crypto.randomUUID().slice(0, 8)}`);
    upstream.answer(json(202, { ok: true, contract: CONTRACT, jobId: 'j9', receiptId: 'r9' }));
    await open({ answerId: 'a9' });
    upstream.answer(json(200, { ok: true, contract: CONTRACT }));
    upstream.seen.length = 0;
    const paths = ['jobs/j9', 'jobs/j9/chunks', 'jobs/j9/receipt', 'answers/a9/receipt', 'receipts/r9/proofpack'];
    for (const path of paths) expect([path, (await read(path, other)).status]).toEqual([path, 404]);
    for (const subject of [{ answerId: 'a9' }, { answerId: undefined, artefact_id: 'a9' }]) {
      const theirs = await open(subject, {}, other);
      expect([theirs.status, theirs.body.type, upstream.seen.length]).toEqual([404, 'ProofSubjectUnknown', 0]);
    }
    for (const path of paths) expect([path, (await read(path)).status]).toEqual([path, 200]);
  });

  it('lets one of two tenants have an id both ask for at once', async () => {
    const other = await api.addTenant(`racer-${crypto.randomUUID().slice(0, 8)}`);
    upstream.answer(
      (_seen, response) => void setTimeout(50).then(() => json(200, { ok: true, contract: CONTRACT })(_seen, response)),
    );
    const answers = await Promise.all([read('jobs/raced'), read('jobs/raced', other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });
});

describe('an upstream that is down', () => {
  it('is 503 with retry-after', async () => {
    const gone = await startStubUpstream();
    await gone.close();
    const api = await startApi({ env: { SVC_PROOF_UPSTREAM_URL: gone.url } });
    const answers = [
      await api.tenant.call('POST', '/v1/proof/jobs', { mode: 'light' }),
      await api.tenant.call('GET', '/v1/proof/jobs/x'),
    ];
    await api.close();
    expect(answers.map(({ status, body, headers }) => [status, body.type, headers.get('retry-after')])).toEqual([
      [503, 'ServiceUnavailable', '5'],
      [503, 'ServiceUnavailable', '5'],
    ]);
  });
});

describe('a second instance as the upstream', () => {
  let upstream: TestApi;
  let api: TestApi;
  beforeAll(async () => {
    upstream = await startApi();
    api = await startApi({
      env: {
        SVC_PROOF_UPSTREAM_URL: upstream.url,
        SVC_PROOF_UPSTREAM_TENANT_ID: upstream.tenant.tenantId,
        SVC_PROOF_UPSTREAM_API_KEY: upstream.tenant.apiKey,
      },
    });
  });
  afterAll(async () => {
    await api.close();
    await upstream.close();
  });

  it('answers all six routes, down to a pack that verifies', async () => {
    await givenDocument(upstream.tenant, { text: 'Every member of staff has 25 days of leave.' });
    const [{ chunkId }] = await retrieve(upstream.tenant, 'leave');
    const answerId = await givenAnswer(upstream.tenant, [chunkId]);
    const made = await api.tenant.call('POST', '/v1/proof/jobs', { mode: 'audit', answerId });
    expect([made.status, made.body.status]).toEqual([202, 'queued']);
    const job = await ended(api.tenant, made.body.jobId);
    expect([job.ok, job.verdict, job.contract]).toEqual([true, 'holds', CONTRACT]);
    const paths = [job.links.chunks, job.links.receipt, `/v1/proof/answers/${answerId}/receipt`];
    for (const path of paths) {
      const [through, direct] = [await api.tenant.call('GET', path), await upstream.tenant.call('GET', path)];
      expect([through.status, { ...through.body, log: 0 }]).toEqual([200, { ...direct.body, log: 0 }]);
    }
    const pack = await api.tenant.call('GET', job.links.proofpack);
    expect(verifyPack(Buffer.from(pack.text)).ok).toBe(true);
  });

  it('passes on what it does not know or refuses', async () => {
    const call = (body: object) => api.tenant.call('POST', '/v1/proof/jobs', { mode: 'light', ...body });
    expect((await call({ answerId: 'nobody' })).body.type).toBe('ProofSubjectUnknown');
    expect((await call({ answerId: 'x', artefact_id: 'y' })).body.issues).toEqual([
      { path: 'body.artefact_id', message: expect.any(String) },
    ]);
    expect((await api.tenant.call('GET', '/v1/proof/jobs/nothing')).body.type).toBe('ProofJobUnknown');
    expect((await api.tenant.call('GET', '/v1/proof/answers/nothing/receipt')).body.type).toBe('AnswerUnknown');
    expect((await api.tenant.call('GET', '/v1/proof/receipts/nothing/proofpack')).body.type).toBe('ReceiptUnknown');
  });

  it('is refused with a wrong credential of ours as 502', async () => {
    const wrong = await startApi({
      env: {
        SVC_PROOF_UPSTREAM_URL: upstream.url,
        SVC_PROOF_UPSTREAM_TENANT_ID: 'acme',
        SVC_PROOF_UPSTREAM_API_KEY: 'svc_key_wrong',
      },
    });
    const { status, body } = await wrong.tenant.call('GET', '/v1/proof/jobs/x');
    await wrong.close();
    expect([status, body.type, body.upstreamStatus]).toEqual([502, 'UpstreamRefused', 401]);
  });
});
