import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiptsDaemon, type ReceiptsDaemon } from './receipts-daemon.js';

let daemon: ReceiptsDaemon;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  await daemon.record('acme', { kind: 'a.done' }, { kind: 'a.done', actor: 'passport:bob' }, { kind: 'b.done' });
  await daemon.record('acme', { kind: 'b.done', body: { session_id: 's-1' } }, { kind: 'a.done', stream: 'side' });
  await daemon.recordRetrieval('acme', { query: 'x', session_id: 's-1' });
  await daemon.recordRetrieval('acme', { query: 'y' }, 'key:1');
  await daemon.record('umbrella', { kind: 'a.done' });
});
afterAll(() => daemon.close());

const list = async (query = '') => {
  const { status, body } = await daemon.as({ scopes: 'receipts:read', tenant: 'acme' })(
    'GET',
    `/v1/receipts/list${query}`,
  );
  expect([query, status]).toEqual([query, 200]);
  return body;
};

describe('GET /v1/receipts/list', () => {
  it('lists both families newest first, with exact counts', async () => {
    const page = await list();
    expect(page).toMatchObject({ returned: 7, matched: 7, has_more: false, next_cursor: null });
    expect(page.kind_counts).toEqual({ 'a.done': 3, 'b.done': 2, retrieval: 2 });
    expect(page.principal_counts).toEqual({ 'passport:alice': 5, 'passport:bob': 1, 'key:1': 1 });
    const times = page.rows.map((row: any) => row.occurred_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(page.rows.at(-1)).toEqual({
      receipt_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-/),
      family: 'execution',
      kind: 'a.done',
      principal: 'passport:alice',
      subject: 'subject-0',
      session: null,
      stream: 'main',
      seq: 1,
      auth_mode: 'jwt_hs256',
      occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
      ingested_at: expect.stringMatching(/^\d{4}-.*Z$/),
      payload_hash: expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
    });
    const retrieval = page.rows.find((row: any) => row.family === 'retrieval');
    expect(retrieval).toMatchObject({ kind: 'retrieval', stream: null, seq: null, subject: null });
    expect(retrieval.receipt_id).toBe(retrieval.payload_hash);
  });

  it.each([
    ['?kind=a.done', 3, { 'a.done': 3 }],
    ['?kind=retrieval', 2, { retrieval: 2 }],
    ['?principal=alice', 5, { 'a.done': 2, 'b.done': 2, retrieval: 1 }],
    ['?principal=passport:bob', 1, { 'a.done': 1 }],
    ['?principal=key:1', 1, { retrieval: 1 }],
    ['?session=s-1', 2, { 'b.done': 1, retrieval: 1 }],
    ['?session=s-1&kind=b.done&principal=alice', 1, { 'b.done': 1 }],
    ['?kind=none', 0, {}],
    ['?principal=nobody', 0, {}],
  ])('%s', async (query, matched, kindCounts) => {
    const page = await list(query);
    expect([page.matched, page.returned, page.kind_counts]).toEqual([matched, matched, kindCounts]);
  });

  it('pages by a stable key through receipts of one instant, whatever the size', async () => {
    const all = (await list('?limit=200')).rows.map((row: any) => row.receipt_id);
    for (const limit of [1, 2, 3]) {
      const seen: string[] = [];
      let before = '';
      do {
        const page = await list(`?limit=${limit}${before}`);
        expect([page.matched, page.has_more]).toEqual([7, page.next_cursor !== null]);
        seen.push(...page.rows.map((row: any) => row.receipt_id));
        before = page.next_cursor === null ? '' : `&before=${page.next_cursor}`;
      } while (before !== '');
      expect(seen).toEqual(all);
    }
  });

  it('counts what concurrent writers add, before and after the parts are added up', async () => {
    const written = await Promise.all(
      Array.from({ length: 40 }, (_, n) => daemon.record('many', { stream: `s${n % 4}`, body: { session_id: 'z' } })),
    );
    const call = daemon.as({ scopes: 'receipts:read', tenant: 'many' });
    for (const query of ['', '?session=z']) {
      expect((await call('GET', `/v1/receipts/list${query}`)).body.matched).toBe(written.length);
      const session = query === '' ? '' : 'z';
      await daemon.database.query('select svc_fold_tally($1, $2)', ['many', session]);
      const parts = await daemon.database.query(
        'select receipts from receipt_tally where tenant_id = $1 and session = $2',
        ['many', session],
      );
      expect(parts).toEqual([{ receipts: '40' }]);
      expect((await call('GET', `/v1/receipts/list${query}`)).body.matched).toBe(written.length);
    }
  });

  it('works in the tenant of the header, of the query, or of the credential (A-41), and of no other', async () => {
    const named = await daemon.as({ scopes: 'receipts:read' })('GET', '/v1/receipts/list?tenant_id=umbrella');
    expect([named.status, named.body.matched]).toEqual([200, 1]);
    const home = await daemon.as({ scopes: 'receipts:read' })('GET', '/v1/receipts/list');
    expect([home.status, home.body.matched]).toEqual([200, 0]);
    const foreign = await daemon.as({ scopes: 'receipts:read', tenant: 'acme' })(
      'GET',
      '/v1/receipts/list?tenant_id=umbrella',
    );
    expect([foreign.status, foreign.body.code]).toEqual([403, 'TENANT_MISMATCH']);
  });

  it.each([
    ['before=!', 'query.before'],
    [
      `before=${Buffer.from('["2026-02-30T00:00:00.000000Z","execution","main",1]').toString('base64url')}`,
      'query.before',
    ],
    [
      `before=${Buffer.from('["2026-02-20T00:00:00.000000Z","retrieval","zz",1]').toString('base64url')}`,
      'query.before',
    ],
    ['limit=0', 'query.limit'],
    ['limit=201', 'query.limit'],
    ['color=red', 'query.color'],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await daemon.call('GET', `/v1/receipts/list?${query}`);
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
  });

  it('asks for receipts:read', async () => {
    const { status, body } = await daemon.as({ scopes: 'exports:read' })('GET', '/v1/receipts/list');
    expect([status, body.code, body.missingAnyScope]).toEqual([403, 'MISSING_SCOPE', ['receipts:read']]);
    expect((await daemon.as({})('GET', '/v1/receipts/list')).status).toBe(401);
  });
});
