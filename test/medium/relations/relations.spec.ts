import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

const relation = (from_id: number, to_id: number, more: object = {}) => ({
  tenant_id: 'acme',
  from_id,
  to_id,
  edge_type: 'cites',
  ...more,
});
const post = (body: object) => daemon.call('POST', '/v1/relations', body);

describe('a relation', () => {
  it('is stored and read back from both of its ends', async () => {
    const { status, body } = await post(relation(1, 4294967295, { confidence: 0.9 }));
    expect([status, body]).toEqual([
      200,
      {
        ...relation(1, 4294967295),
        confidence: 0.9,
        created_at_micros: expect.any(Number),
        updated_at_micros: expect.any(Number),
      },
    ]);
    expect(body.created_at_micros).toBe(body.updated_at_micros);
    expect(Math.abs(body.created_at_micros / 1000 - Date.now())).toBeLessThan(60_000);
    const outgoing = await daemon.call('GET', '/v1/relations?tenant_id=acme&from_id=1');
    expect(outgoing.body).toEqual({ edges: [body], next_cursor: null });
    const incoming = await daemon.call('GET', '/v1/relations/incoming?tenant_id=acme&to_id=4294967295');
    expect(incoming.body).toEqual({ edges: [body], cursor: null, next_cursor: null, limit: 100 });
  });

  it('stored again keeps when it came to be, and takes what else is new', async () => {
    await post(relation(2, 3, { created_at_micros: 5_000_000, updated_at_micros: 6_000_000 }));
    const again = (await post(relation(2, 3, { confidence: 0.25, created_at_micros: 1, updated_at_micros: 7_000_000 })))
      .body;
    expect(again).toMatchObject({ confidence: 0.25, created_at_micros: 5_000_000, updated_at_micros: 7_000_000 });
    const earlier = (await post(relation(2, 3, { updated_at_micros: 1 }))).body;
    expect(earlier).toMatchObject({ confidence: 1, created_at_micros: 5_000_000, updated_at_micros: 5_000_000 });
    expect((await daemon.call('GET', '/v1/relations?tenant_id=acme&from_id=2')).body.edges).toEqual([earlier]);
    const events = await daemon.database.query(`select data from outbox_event where subject = '2 cites 3'`);
    expect(events).toHaveLength(3);
  });

  it('has times of its own where one is given', async () => {
    const early = (await post(relation(4, 5, { updated_at_micros: -1 }))).body;
    expect(early).toMatchObject({ created_at_micros: -1, updated_at_micros: -1 });
    const late = (await post(relation(4, 6, { created_at_micros: Number.MAX_SAFE_INTEGER }))).body;
    expect(late.updated_at_micros).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['a from_id below zero', { from_id: -1 }, 'from_id'],
    ['a from_id that is no u32', { from_id: 2 ** 32 }, 'from_id'],
    ['a fraction', { to_id: 1.5 }, 'to_id'],
    ['text for a number', { to_id: '1' }, 'to_id'],
    ['no type', { edge_type: undefined }, 'edge_type'],
    ['an empty type', { edge_type: '' }, 'edge_type'],
    ['a confidence above 1', { confidence: 1.001 }, 'confidence'],
    ['a confidence below 0', { confidence: -0.1 }, 'confidence'],
    ['a time past the integers of JSON', { created_at_micros: 2 ** 53 }, 'created_at_micros'],
    ['a change before the creation', { created_at_micros: 2, updated_at_micros: 1 }, 'updated_at_micros'],
    ['no tenant', { tenant_id: undefined }, 'tenant_id'],
    ['another member', { weight: 1 }, 'weight'],
  ])('with %s is refused by name', async (_what, change, member) => {
    const { status, body } = await post(relation(1, 2, change));
    expect([status, body.issues?.[0].path]).toEqual([400, `body.${member}`]);
  });

  it('takes every confidence that has 32 bits, the smallest too', async () => {
    for (const [to, confidence] of [0, 1e-300, 1e-45, 0.1, 1].entries())
      expect((await post(relation(9, to, { confidence }))).body.confidence).toBeCloseTo(confidence, 6);
    const expanded = await daemon.call('POST', '/v1/relations/expand', {
      tenant_id: 'acme',
      seed_artifact_ids: [9],
      max_hops: 1,
    });
    expect(expanded.body.artifacts.map(({ score }: any) => score)).toEqual([1, 0.5, expect.closeTo(0.05), 0, 0, 0]);
  });

  it('is bound to a tenant that the credential covers, unless an admin scope opened the route', async () => {
    const bound = (scopes: string) => daemon.as({ scopes, tenant: 'other' });
    const refused = await bound('facts:write')('POST', '/v1/relations', relation(7, 8));
    expect([refused.status, refused.body.code]).toEqual([403, 'TENANT_MISMATCH']);
    expect((await bound('admin:write')('POST', '/v1/relations', relation(7, 8))).status).toBe(200);
    expect(
      (await daemon.as({ scopes: 'facts:write', tenant: 'acme' })('POST', '/v1/relations', relation(7, 9))).status,
    ).toBe(200);
    const seen = await bound('admin:read')('GET', '/v1/relations?tenant_id=acme&from_id=7');
    expect(seen.body.edges).toHaveLength(2);
    expect((await bound('admin:read')('GET', '/v1/relations?tenant_id=other&from_id=7')).body.edges).toEqual([]);
    expect((await bound('facts:read')('GET', '/v1/relations?tenant_id=other&from_id=7')).status).toBe(403);
  });
});

describe('the lists of relations', () => {
  beforeAll(async () => {
    for (let i = 0; i < 12; i += 1) {
      await post(relation(100 + i, 50, { edge_type: i % 3 === 0 ? 'uses' : 'cites' }));
      await post(relation(60, 100 + i, { edge_type: i % 3 === 0 ? 'uses' : 'cites' }));
    }
  });

  const walk = async (path: string, end: 'from_id' | 'to_id') => {
    const found: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const { body }: any = await daemon.call('GET', `${path}${cursor === null ? '' : `&cursor=${cursor}`}`);
      if (end === 'from_id') expect([body.cursor, body.limit]).toEqual([cursor, 5]);
      found.push(...body.edges.map((edge: any) => `${edge.edge_type} ${edge[end]}`));
      cursor = body.next_cursor;
    }
    return found;
  };
  const expected = (types: string[]) =>
    types.flatMap((type) =>
      Array.from({ length: 12 }, (_, i) => i)
        .filter((i) => (i % 3 === 0) === (type === 'uses'))
        .map((i) => `${type} ${100 + i}`),
    );

  it('are walked page by page, every relation once', async () => {
    const incoming = '/v1/relations/incoming?tenant_id=acme&to_id=50&limit=5';
    expect(await walk(incoming, 'from_id')).toEqual(expected(['cites', 'uses']));
    expect(await walk(`${incoming}&edge_type=cites`, 'from_id')).toEqual(expected(['cites']));
    expect(await walk('/v1/relations?tenant_id=acme&from_id=60&limit=5', 'to_id')).toEqual(expected(['cites', 'uses']));
  });

  it.each([
    '?from_id=1',
    '?tenant_id=acme',
    '?tenant_id=acme&from_id=4294967296',
    '?tenant_id=acme&from_id=x',
    '?tenant_id=&from_id=1',
    '/incoming?to_id=1',
    '/incoming?tenant_id=acme',
    '/incoming?tenant_id=acme&to_id=-1',
    '/incoming?tenant_id=acme&to_id=1&limit=0',
    '/incoming?tenant_id=acme&to_id=1&cursor=abc',
  ])('refuse %s', async (query) => {
    expect((await daemon.call('GET', `/v1/relations${query}`)).status).toBe(400);
  });
});
