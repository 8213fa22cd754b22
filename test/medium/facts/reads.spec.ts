import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { fixtureIn, type Fixture } from './fixture.js';

interface Shown {
  fact_id: string;
  value: string;
  tokens: number;
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
}, 60_000);
afterAll(() => daemon.close());

const fixture = (): Fixture => fixtureIn(daemon);

const put = async (call: DaemonCall, entity: string, key: string, value: string, also: object = {}): Promise<Shown> =>
  (await call('PUT', '/v1/facts', { entity, key, value, ...also })).body as Shown;
const find = async (call: DaemonCall, query = '') =>
  (await call('GET', `/v1/facts?${query}`)).body as { facts: Shown[]; total_tokens: number; matched: boolean };
const valuesOf = ({ facts }: { facts: Shown[] }) => facts.map(({ value }) => value);
const aggregate = async (call: DaemonCall, body: object) => (await call('POST', '/v1/facts/aggregate', body)).body;

describe('GET /v1/facts', () => {
  it('answers the latest facts by each filter alone, newest first, and ranked for a query', async () => {
    const { ada } = fixture();
    await put(ada, 'animal:1', 'name', 'quokka');
    await put(ada, 'animal:2', 'name', 'a wombat met a quokka');
    await put(ada, 'plant:1', 'name', 'old fern');
    await put(ada, 'plant:1', 'name', 'fern', { confidence: 0.5 });
    expect(valuesOf(await find(ada))).toEqual(['fern', 'a wombat met a quokka', 'quokka']);
    expect(valuesOf(await find(ada, 'entity=plant:1'))).toEqual(['fern']);
    expect(valuesOf(await find(ada, 'entity_prefix=animal:'))).toEqual(['a wombat met a quokka', 'quokka']);
    expect(valuesOf(await find(ada, 'top_k=1'))).toEqual(['fern']);
    expect(valuesOf(await find(ada, 'min_effective_confidence=0.6'))).toEqual(['a wombat met a quokka', 'quokka']);
    expect(valuesOf(await find(ada, 'query=quokka')).toSorted()).toEqual(['a wombat met a quokka', 'quokka']);
    expect(valuesOf(await find(ada, 'query=old'))).toEqual([]);
    expect(valuesOf(await find(ada, 'query=quokka&entity=animal:2'))).toEqual(['a wombat met a quokka']);
    expect(valuesOf(await find(ada, 'query=fern&min_effective_confidence=0.6'))).toEqual([]);
    expect(valuesOf(await find(ada, 'query=fern&min_effective_confidence=6e-1'))).toEqual([]);
  });

  it.each(['', '&query=word'])('never answers more tokens than the budget%s', async (query) => {
    const { ada } = fixture();
    for (const words of [1, 50, 3, 2]) await put(ada, `e${words}`, 'k', 'word '.repeat(words).trim());
    for (const budget of [0, 1, 4, 7, 1000]) {
      const { facts, total_tokens } = await find(ada, `token_budget=${budget}${query}`);
      expect(facts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total_tokens);
      expect(total_tokens).toBeLessThanOrEqual(budget);
      expect(facts).toHaveLength({ 0: 0, 1: 1, 4: query ? facts.length : 2, 7: 3, 1000: 4 }[budget]!);
    }
  });

  it.each(['', '&query=private'])('shows private facts to their writer and to admin scopes alone%s', async (query) => {
    const { ada, bob, admin } = fixture();
    await put(ada, 'e', 'k', 'private to ada', { private: true });
    await put(bob, 'e', 'k', 'private to bob', { private: true });
    await put(ada, '__e', 'k', 'private and reserved');
    expect(valuesOf(await find(ada, query))).toEqual(['private to ada']);
    expect(valuesOf(await find(bob, query))).toEqual(['private to bob']);
    expect(valuesOf(await find(admin, query)).toSorted()).toEqual(['private to ada', 'private to bob']);
    expect(valuesOf(await find(bob, `entity=__e${query}`))).toEqual([]);
    expect(valuesOf(await find(ada, `entity=__e${query}`))).toEqual(['private and reserved']);
  });

  it('says whether the query matched, and answers the newest instead where that is asked for', async () => {
    const { ada } = fixture();
    for (const n of [1, 2, 3]) await put(ada, `animal:${n}`, 'name', `quokka ${n}`);
    await put(ada, 'plant:1', 'name', 'fern');
    const ask = async (query: string) => {
      const found = await find(ada, query);
      return [valuesOf(found), found.matched];
    };
    expect(await ask('')).toEqual([['fern', 'quokka 3', 'quokka 2', 'quokka 1'], true]);
    expect(await ask('query=fern&fallback=newest')).toEqual([['fern'], true]);
    expect(await ask('query=unicorn')).toEqual([[], false]);
    expect(await ask('query=unicorn&fallback=newest&top_k=2')).toEqual([['fern', 'quokka 3'], false]);
    expect(await ask('query=unicorn&fallback=newest&entity_prefix=animal:&token_budget=2')).toEqual([
      ['quokka 3'].slice(0, (await find(ada, 'entity=animal:3')).total_tokens <= 2 ? 1 : 0),
      false,
    ]);
    expect(await ask('query=unicorn&fallback=newest&entity=animal:1')).toEqual([['quokka 1'], false]);
  });

  it('fades confidence by the class of its horizon', async () => {
    const { ada, tenant } = fixture();
    for (const horizon_class of ['ephemeral', 'session', 'durable', 'permanent'])
      await put(ada, horizon_class, 'k', horizon_class, { horizon_class });
    const long = async (days: number, confidence: number) => {
      await daemon.database.query(
        `update fact set stored_at = now() - make_interval(days => $1, mins => 1) where tenant_id = $2`,
        [days, tenant],
      );
      return valuesOf(await find(ada, `min_effective_confidence=${confidence}`)).toSorted();
    };
    expect(await long(30, 0.49)).toEqual(['durable', 'ephemeral', 'permanent', 'session']);
    expect(await long(30, 0.5)).toEqual(['durable', 'permanent', 'session']);
    expect(await long(180, 0.5)).toEqual(['durable', 'permanent']);
    expect(await long(180, 0.49)).toEqual(['durable', 'permanent', 'session']);
    expect(await long(36_500, 1)).toEqual(['durable', 'permanent']);
  });

  it('rewinds valid time: by what was said of it, and else by when facts were stored and deleted', async () => {
    const { ada } = fixture();
    await put(ada, 'price', 'k', 'spring', { valid_from: '2025-03-01T00:00:00Z' });
    await put(ada, 'price', 'k', 'summer', { valid_from: '2025-06-01T00:00:00Z', valid_to: '2025-09-01T00:00:00Z' });
    const gone = await put(ada, 'other', 'k', 'deleted later');
    await sleep(3);
    const noted = new Date().toISOString();
    await sleep(3);
    await ada('DELETE', `/v1/facts/${gone.fact_id}`);
    const at = async (time: string) => valuesOf(await find(ada, `as_of=${time}`));
    expect(await at('2025-02-28T00:00:00Z')).toEqual([]);
    expect(await at('2025-03-01T00:00:00Z')).toEqual(['spring']);
    expect(await at('2025-06-01T00:00:00Z')).toEqual(['summer']);
    expect(await at('2025-09-01T00:00:00Z')).toEqual([]);
    expect(await at(noted)).toEqual(['deleted later']);
    expect(await at(new Date().toISOString())).toEqual([]);
    expect(valuesOf(await find(ada))).toEqual(['summer']);
    expect(valuesOf(await find(ada, 'query=spring&as_of=2025-04-01T00:00:00Z'))).toEqual(['spring']);
    expect(valuesOf(await find(ada, 'query=summer&as_of=2025-04-01T00:00:00Z'))).toEqual([]);
  });

  it('keeps what a value was before a scheduled one begins', async () => {
    const { ada } = fixture();
    await put(ada, 'price', 'k', 'now');
    await put(ada, 'price', 'k', 'later', { valid_from: '2100-01-01T00:00:00Z' });
    expect(valuesOf(await find(ada, 'as_of=2099-12-31T00:00:00Z'))).toEqual(['now']);
    expect(valuesOf(await find(ada, 'as_of=2100-01-02T00:00:00Z'))).toEqual(['later']);
  });

  it.each([
    ['top_k=0', 'query.top_k'],
    ['top_k=1001', 'query.top_k'],
    ['top_k=1.5', 'query.top_k'],
    ['token_budget=-1', 'query.token_budget'],
    ['token_budget=1e9', 'query.token_budget'],
    ['min_effective_confidence=2', 'query.min_effective_confidence'],
    ['min_effective_confidence=NaN', 'query.min_effective_confidence'],
    ['as_of=2026', 'query.as_of'],
    ['as_of=2026-02-30T00:00:00Z', 'query.as_of'],
    ['query=', 'query.query'],
    ['query=%00', 'query.query'],
    ['entity=', 'query.entity'],
    ['limit=3', 'query.limit'],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await fixture().ada('GET', `/v1/facts?${query}`);
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
  });
});

describe('POST /v1/facts/aggregate', () => {
  it('makes one figure of the latest values, adds exactly, and counts what is no number', async () => {
    const { ada, bob } = fixture();
    for (const [key, value] of [
      ['a', '0.1'],
      ['b', ' 0.2\n'],
      ['c', 'many'],
      ['d', '1e3'],
      ['a', '0.3'],
      ['e', '0.3'],
    ] as const)
      await put(ada, 'm', key, value);
    await put(bob, 'm', 'f', '1000000', { private: true });
    await put(bob, 'other', 'a', '7');
    const figure = { count: 4, skipped: 1, considered: 5 };
    expect(await aggregate(ada, { op: 'sum', entity: 'm' })).toMatchObject({ op: 'sum', value: 1000.8, ...figure });
    expect(await aggregate(ada, { op: 'avg', entity: 'm' })).toMatchObject({ value: 250.2, ...figure });
    expect(await aggregate(ada, { op: 'min', entity: 'm' })).toMatchObject({ value: 0.2, ...figure });
    expect(await aggregate(ada, { op: 'max', entity: 'm' })).toMatchObject({ value: 1000, ...figure });
    expect(await aggregate(ada, { op: 'count', entity: 'm' })).toMatchObject({
      value: 5,
      count: 5,
      skipped: 0,
      considered: 5,
    });
    expect(await aggregate(ada, { op: 'distinct', entity: 'm' })).toMatchObject({
      value: 4,
      values: [' 0.2\n', '0.3', '1e3', 'many'],
    });
    expect(await aggregate(ada, { op: 'latest', entity: 'm' })).toMatchObject({
      value: '0.3',
      count: 1,
      fact: { key: 'e' },
    });
    expect(await aggregate(ada, { op: 'sum', key: 'a' })).toMatchObject({ value: 7.3, count: 2 });
    expect(await aggregate(ada, { op: 'count' })).toMatchObject({ value: 6 });
    expect(await aggregate(bob, { op: 'count' })).toMatchObject({ value: 7 });
    expect(await aggregate(ada, { op: 'sum', query: 'many' })).toMatchObject({ value: 0, count: 0, skipped: 1 });
    expect(await aggregate(ada, { op: 'latest', entity: 'nobody' })).toMatchObject({ value: null, count: 0 });
    expect(await aggregate(ada, { op: 'avg', entity: 'nobody' })).toMatchObject({ value: null, count: 0, skipped: 0 });
  });

  it('gives digits where a JSON number would not be exact, and takes numbers of any size', async () => {
    const { ada } = fixture();
    await put(ada, 'm', 'a', '9007199254740993');
    expect(await aggregate(ada, { op: 'sum' })).toMatchObject({ value: '9007199254740993' });
    await put(ada, 'm', 'a', '1e999');
    expect((await aggregate(ada, { op: 'max' })).value).toMatch(/^10{999}$/);
    for (const odd of ['1e9999', 'NaN', 'Infinity', '0x10', '1_000', '٣', '', '9'.repeat(401)]) {
      await put(ada, 'm', 'a', odd);
      expect(await aggregate(ada, { op: 'sum' })).toMatchObject({ value: 0, skipped: 1 });
    }
  });

  it('holds to as_of and to the budget of tokens, newest first', async () => {
    const { ada } = fixture();
    await put(ada, 'm', 'a', '1', { valid_from: '2025-01-01T00:00:00Z' });
    await put(ada, 'm', 'a', '2', { valid_from: '2026-01-01T00:00:00Z' });
    expect(await aggregate(ada, { op: 'sum', as_of: '2025-06-01T00:00:00Z' })).toMatchObject({ value: 1 });
    await put(ada, 'm', 'b', '40');
    expect(await aggregate(ada, { op: 'sum', token_budget: 1 })).toMatchObject({
      value: 40,
      considered: 1,
      total_tokens: 1,
    });
    expect(await aggregate(ada, { op: 'latest', token_budget: 0 })).toMatchObject({ value: null });
  });

  it('takes a scope that reads, and one that writes where route-auth is enforced', async () => {
    const statuses = async (other: TestDaemon) =>
      Promise.all(
        ['query:read', 'facts:write', 'query:read facts:write'].map(
          async (scopes) => (await other.as({ scopes })('POST', '/v1/facts/aggregate', { op: 'count' })).status,
        ),
      );
    expect(await statuses(daemon)).toEqual([200, 403, 200]);
    const enforcing = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce' } });
    expect(await statuses(enforcing)).toEqual([403, 403, 200]);
    await enforcing.close();
  });

  it.each([
    [{}, 'body.op'],
    [{ op: 'median' }, 'body.op'],
    [{ op: 'sum', entity: '' }, 'body.entity'],
    [{ op: 'sum', as_of: 'now' }, 'body.as_of'],
    [{ op: 'sum', token_budget: -1 }, 'body.token_budget'],
    [{ op: 'sum', limit: 1 }, 'body.limit'],
    [undefined, 'body.op'],
  ])('refuses %j', async (body, path) => {
    const answer = await fixture().ada('POST', '/v1/facts/aggregate', body);
    expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([400, path]);
  });
});
