import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FactSegmentFlush } from '../../../src/modules/memory/facts/fact-search/fact-segment-flush.service.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const READ_AND_WRITE = 'query:read facts:write';

let daemon: TestDaemon;
let other: TestDaemon;
let tenants = 0;
beforeAll(async () => {
  daemon = await startDaemon();
  other = await startDaemon({ database: daemon.database });
}, 60_000);
afterAll(async () => {
  await other.close();
  await daemon.close();
});

interface Shown {
  fact_id: string;
  entity: string;
  key: string;
  value: string;
  version: number;
}

/** A tenant of its own: who writes and reads in it, on either daemon. */
function tenant() {
  const name = `search-${++tenants}`;
  const on = (where: TestDaemon, passport = 'ada', scopes = READ_AND_WRITE) =>
    where.as({ scopes, passport, tenant: name });
  return { name, ada: on(daemon), on };
}

const put = async (call: DaemonCall, entity: string, key: string, value: string, also: object = {}): Promise<Shown> => {
  const { status, body } = await call('PUT', '/v1/facts', { entity, key, value, ...also });
  expect(status).toBe(201);
  return body as Shown;
};

const putMany = async (call: DaemonCall, facts: { entity: string; key: string; value: string }[]): Promise<void> => {
  for (let start = 0; start < facts.length; start += 500) {
    const { status } = await call('PUT', '/v1/facts/bulk', facts.slice(start, start + 500));
    expect(status).toBe(201);
  }
};

const find = async (call: DaemonCall, parameters: Record<string, string | number>): Promise<Shown[]> => {
  const { status, body } = await call(
    'GET',
    `/v1/facts?${new URLSearchParams(parameters as Record<string, string>).toString()}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body.facts as Shown[];
};
const values = (facts: Shown[]): string[] => facts.map(({ value }) => value);
const settle = (where: TestDaemon, name: string, least = 1) => where.app.get(FactSegmentFlush).settle(name, least);

describe('ranking', () => {
  it('puts first what has more and rarer words of the query, entity and key counting more than the value', async () => {
    const { ada } = tenant();
    await put(ada, 'user:alice_smith', 'preferredEditorTheme', 'solarized dark');
    await put(ada, 'user:bob', 'note', 'likes the dark');
    await put(ada, 'project:apollo', 'summary', 'a theme park for alice in the dark woods, with an editor');
    expect(values(await find(ada, { query: 'alice editor theme' }))).toEqual([
      'solarized dark',
      'a theme park for alice in the dark woods, with an editor',
    ]);
    expect(values(await find(ada, { query: 'user:alice_smith' }))[0]).toBe('solarized dark');
    expect(values(await find(ada, { query: 'THEMES' }))).toHaveLength(2);
    expect(values(await find(ada, { query: 'dark', top_k: 1 }))).toHaveLength(1);
  });

  it('weighs by effective confidence, then prefers the later', async () => {
    const { ada } = tenant();
    await put(ada, 'a', 'k1', 'the meeting is on monday', { confidence: 0.4 });
    await put(ada, 'b', 'k1', 'the meeting is on tuesday', { confidence: 0.9 });
    await put(ada, 'c', 'k1', 'the meeting is on friday', { confidence: 0.9 });
    const found = await find(ada, { query: 'meeting' });
    expect(found.map(({ entity }) => entity)).toEqual(['c', 'b', 'a']);
    expect((await find(ada, { query: 'meeting', min_effective_confidence: 0.4 })).map(({ entity }) => entity)).toEqual([
      'c',
      'b',
      'a',
    ]);
    expect((await find(ada, { query: 'meeting', min_effective_confidence: 0.5 })).map(({ entity }) => entity)).toEqual([
      'c',
      'b',
    ]);
  });

  it('answers nothing for signs and stop words, and finds every script', async () => {
    const { ada } = tenant();
    await put(ada, 'place:tokyo', 'name', '東京タワー 🗼');
    await put(ada, 'place:zurich', 'name', 'Zürich Straße');
    for (const query of ['the', 'the and of', '???', '🗼', ' ', "'", '\u200b'])
      expect(await find(ada, { query })).toEqual([]);
    expect(values(await find(ada, { query: '東京' }))).toEqual(['東京タワー 🗼']);
    expect(values(await find(ada, { query: 'ZÜRICH' }))).toEqual(['Zürich Straße']);
    expect((await ada('GET', `/v1/facts?query=${'x'.repeat(8_193)}`)).status).toBe(400);
  });

  it('keeps to a token budget', async () => {
    const { ada } = tenant();
    for (let i = 0; i < 5; i++) await put(ada, `e${i}`, 'k', `budget ${'word '.repeat(10 * (i + 1))}`);
    const { body } = await ada('GET', '/v1/facts?query=budget&token_budget=60');
    const tokens = (body.facts as { tokens: number }[]).map((fact) => fact.tokens);
    expect(body.total_tokens).toBe(tokens.reduce((sum, one) => sum + one, 0));
    expect(body.total_tokens).toBeLessThanOrEqual(60);
    expect(tokens.length).toBeGreaterThan(1);
  });
});

describe('what is found', () => {
  it('is every fact at its commit, in every process, sealed or not', async () => {
    const { ada, on, name } = tenant();
    const there = on(other);
    for (let i = 0; i < 30; i++) {
      await put(i % 2 ? ada : there, `e${i}`, 'k', `needle number${i}`);
      expect(values(await find(i % 3 ? ada : there, { query: `number${i}` }))).toEqual([`needle number${i}`]);
      if (i % 10 === 5) await settle(i % 4 ? daemon : other, name);
    }
    for (const call of [ada, there]) expect(await find(call, { query: 'needle', top_k: 100 })).toHaveLength(30);
  });

  it('is the last version, until it is deleted', async () => {
    const { ada, on, name } = tenant();
    const there = on(other);
    await put(ada, 'user:1', 'city', 'lives in London');
    await settle(daemon, name);
    const second = await put(ada, 'user:1', 'city', 'lives in Paris');
    for (const call of [ada, there]) {
      expect(values(await find(call, { query: 'lives' }))).toEqual(['lives in Paris']);
      expect(await find(call, { query: 'london' })).toEqual([]);
    }
    await settle(daemon, name);
    expect((await ada('DELETE', `/v1/facts/${second.fact_id}`)).status).toBe(200);
    for (const call of [ada, there]) expect(await find(call, { query: 'lives paris city' })).toEqual([]);
    await settle(other, name);
    await put(ada, 'user:1', 'city', 'lives in Rome');
    for (const call of [ada, there]) expect(values(await find(call, { query: 'lives' }))).toEqual(['lives in Rome']);
  });

  it('is with as_of what held then', async () => {
    const { ada, name } = tenant();
    await put(ada, 'user:1', 'city', 'lives in London', { valid_from: '2020-01-01T00:00:00Z' });
    await put(ada, 'user:1', 'city', 'lives in Paris', { valid_from: '2022-01-01T00:00:00Z' });
    const third = await put(ada, 'user:1', 'city', 'lives in Rome', { valid_from: '2024-01-01T00:00:00Z' });
    for (const isSealed of [false, true]) {
      if (isSealed) await settle(daemon, name);
      const at = async (year: number) => values(await find(ada, { query: 'lives', as_of: `${year}-06-01T00:00:00Z` }));
      expect(await Promise.all([2019, 2020, 2022, 2024].map(at))).toEqual([
        [],
        ['lives in London'],
        ['lives in Paris'],
        ['lives in Rome'],
      ]);
      expect(
        values(await find(ada, { query: 'london', as_of: '2021-01-01T00:00:00Z', entity: 'user:1' })),
      ).toHaveLength(1);
      expect(await find(ada, { query: 'london', entity: 'user:1' })).toEqual([]);
    }
    await ada('DELETE', `/v1/facts/${third.fact_id}`);
    expect(values(await find(ada, { query: 'lives', as_of: '2021-01-01T00:00:00Z' }))).toEqual(['lives in London']);
  });

  it('is narrowed by entity and prefix without ever being too little', async () => {
    const { ada, name } = tenant();
    const noise = Array.from({ length: 3000 }, (_, i) => ({
      entity: `noise:${i}`,
      key: 'k',
      value: 'common word here',
    }));
    await putMany(ada, noise);
    for (let i = 0; i < 5; i++)
      await put(ada, `needle:${i}%_\\`, 'k', `common word here and ${'much other text '.repeat(20)}`);
    for (const isSealed of [false, true]) {
      if (isSealed) await settle(daemon, name);
      expect(await find(ada, { query: 'common', entity_prefix: 'needle:', top_k: 10 })).toHaveLength(5);
      expect(await find(ada, { query: 'common', entity: 'needle:3%_\\' })).toHaveLength(1);
      expect(await find(ada, { query: 'common', entity_prefix: 'noise:', top_k: 20 })).toHaveLength(20);
      expect(await find(ada, { query: 'common', entity: 'needle:%' })).toEqual([]);
      expect(await find(ada, { query: 'common', entity_prefix: 'needle:', entity: 'needle:3%_\\' })).toHaveLength(1);
      expect(await find(ada, { query: 'common', entity_prefix: 'noise:', entity: 'needle:3%_\\' })).toEqual([]);
    }
  });

  it('is what is current however many superseded facts match better', async () => {
    const { ada, on, name } = tenant();
    const there = on(other);
    for (let round = 0; round < 50; round++)
      await putMany(
        ada,
        Array.from({ length: 100 }, (_, i) => ({
          entity: `e${i}`,
          key: 'state',
          value: round < 49 ? 'gate gate gate' : `closed${i}`,
        })),
      );
    await putMany(
      ada,
      Array.from({ length: 10 }, (_, i) => ({
        entity: `last${i}`,
        key: 'state',
        value: `the gate ${'and other things '.repeat(30)}`,
      })),
    );
    expect(await find(ada, { query: 'gate', top_k: 10 })).toHaveLength(10);
    await settle(daemon, name);
    for (const call of [ada, there]) {
      const found = await find(call, { query: 'gate', top_k: 10 });
      expect(found.map(({ entity }) => entity).every((entity) => entity.startsWith('last'))).toBe(true);
      expect(found).toHaveLength(10);
    }
    const history = await daemon.database.query<{ history: boolean; facts: string }>(
      'select history, sum(fact_count) as facts from fact_segment where tenant_id = $1 group by 1 order by 1',
      [name],
    );
    expect(history.map(({ facts }) => Number(facts)).reduce((a, b) => a + b)).toBe(5010);
  }, 120_000);
});

describe('who sees what', () => {
  it('keeps other tenants and private facts of others out of answers and out of the statistics', async () => {
    const { ada, on, name } = tenant();
    const bob = on(daemon, 'bob');
    const admin = on(daemon, 'root', 'admin:read');
    const unrelated = tenant().ada;
    await put(ada, 'public:1', 'k', 'rare word near common word');
    await put(ada, 'public:2', 'k', 'common word and some others');
    await put(unrelated, 'public:1', 'k', 'rare rare rare');
    for (let i = 0; i < 20; i++) await put(bob, `mine:${i}`, 'k', `rare secret ${i}`, { private: true });
    await put(ada, 'mine', 'k', 'rare diary', { private: true });
    for (const isSealed of [false, true]) {
      if (isSealed) await settle(daemon, name);
      expect(values(await find(ada, { query: 'rare', top_k: 50 })).sort()).toEqual([
        'rare diary',
        'rare word near common word',
      ]);
      expect(await find(bob, { query: 'rare', top_k: 50 })).toHaveLength(21);
      expect(await find(admin, { query: 'rare', top_k: 50 })).toHaveLength(22);
      expect(await find(bob, { query: 'diary' })).toEqual([]);
      expect(await find(unrelated, { query: 'secret common' })).toEqual([]);
    }
  });

  it('finds entities under reserved prefixes only where they are named', async () => {
    const { ada, name } = tenant();
    await put(ada, '__note', 'k', 'hidden treasure');
    for (const isSealed of [false, true]) {
      if (isSealed) await settle(daemon, name);
      expect(await find(ada, { query: 'treasure' })).toEqual([]);
      expect(await find(ada, { query: 'treasure', entity_prefix: '__' })).toHaveLength(1);
      expect(await find(ada, { query: 'treasure', entity: '__note' })).toHaveLength(1);
    }
  });
});
