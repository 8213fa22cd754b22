import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';

let first: TestApi;
let second: TestApi;
let acme: TestTenant;
let elsewhere: TestTenant['call'];

beforeAll(async () => {
  first = await startApi({ env: { SVC_JOBS: '0' } });
  second = await startApi({ database: first.database, env: { SVC_JOBS: '0' } });
  acme = first.tenant;
  elsewhere = caller(second.url, acme.tenantId, acme.apiKey);
});
afterAll(async () => {
  await second.close();
  await first.close();
});

const document = (docId: string) => ({
  tenantId: 'acme',
  corpusId: 'handbook',
  docId,
  title: 'A',
  content: `Text of ${docId}.`,
  url: 'https://example.org/a',
});
const withKey = (key: string) => ({ 'x-idempotency-key': key });
const accepted = (docId: string) =>
  first.database.query(`select ingest_id from ingest where tenant_id = 'acme' and doc_id = $1`, [docId]);

describe('an idempotency key', () => {
  it('has one effect and equal answers under 100 parallel requests to two servers', async () => {
    const calls = Array.from({ length: 100 }, (_, i) =>
      (i % 2 ? acme.call : elsewhere)('POST', '/v1/ingest', document('parallel'), withKey('parallel-1')),
    );
    const answers = await Promise.all(calls);
    const done = answers.filter(({ status }) => status === 202);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const running = answers.filter(({ status }) => status !== 202);
    expect([
      ...new Set(running.map(({ status, body, headers }) => `${status} ${body.type} ${headers.get('retry-after')}`)),
    ]).toEqual(running.length ? ['409 IdempotencyInProgress 1'] : []);
    expect(done.filter(({ headers }) => headers.get('x-idempotency-replayed') === null)).toHaveLength(1);
    expect(await accepted('parallel')).toEqual([{ ingest_id: done[0]!.body.ingestId }]);
  });

  it('replays its answer, whatever the order of members and the white space', async () => {
    const one = await acme.call('POST', '/v1/ingest', document('replayed'), withKey('replayed-1'));
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(document('replayed')).reverse()), null, 2);
    const two = await elsewhere('POST', '/v1/ingest', reordered, withKey('replayed-1'));
    expect([two.status, two.text, two.headers.get('x-idempotency-replayed')]).toEqual([202, one.text, 'true']);
    expect(await accepted('replayed')).toHaveLength(1);
  });

  it('is known again on another spelling of the same path', async () => {
    const one = await acme.call('POST', '/v1/ingest', document('spelled'), withKey('spelled-1'));
    const two = await elsewhere('POST', '/v1/%69nges%74', document('spelled'), withKey('spelled-1'));
    expect([two.status, two.text, two.headers.get('x-idempotency-replayed')]).toEqual([202, one.text, 'true']);
  });

  it('is refused for another request', async () => {
    await acme.call('POST', '/v1/ingest', document('first'), withKey('reused-key'));
    const { status, body } = await acme.call('POST', '/v1/ingest', document('other'), withKey('reused-key'));
    expect([status, body.type, body.idempotencyKey]).toEqual([422, 'IdempotencyKeyReused', 'reused-key']);
    expect(await accepted('other')).toEqual([]);
  });

  it('stores no failure: a request without effect may be sent again', async () => {
    const wrong = await acme.call(
      'POST',
      '/v1/ingest',
      { ...document('mended'), url: 'not a url' },
      withKey('mended-key'),
    );
    expect(wrong.status).toBe(400);
    expect((await acme.call('POST', '/v1/ingest', document('mended'), withKey('mended-key'))).status).toBe(202);
  });

  it("is the tenant's own: another tenant may use the same and sees nothing of the first", async () => {
    const umbrella = await first.addTenant('umbrella');
    const mine = await acme.call('POST', '/v1/ingest', document('shared'), withKey('the-same-key'));
    const theirs = await umbrella.call(
      'POST',
      '/v1/ingest',
      { ...document('shared'), tenantId: 'umbrella' },
      withKey('the-same-key'),
    );
    expect([theirs.status, theirs.headers.get('x-idempotency-replayed')]).toEqual([202, null]);
    expect(theirs.body.ingestId).not.toBe(mine.body.ingestId);
  });

  it('expires after 24 hours', async () => {
    const before = await acme.call('POST', '/v1/ingest', document('aged'), withKey('aged-key-1'));
    await first.database.query(
      `update idempotent_request set created_at = now() - interval '25 hours' where idempotency_key = 'aged-key-1'`,
    );
    const after = await acme.call('POST', '/v1/ingest', document('aged'), withKey('aged-key-1'));
    expect([after.status, after.headers.get('x-idempotency-replayed')]).toEqual([202, null]);
    expect(after.body.ingestId).not.toBe(before.body.ingestId);
  });
});
