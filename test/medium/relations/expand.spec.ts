import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { expandPlainly, type ExpansionRequest, type Relation } from './reference-expansion.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

const expand = (tenant_id: string, request: object) =>
  daemon.call('POST', '/v1/relations/expand', { tenant_id, ...request });

/** Puts relations in past the route, of which another test knows that it stores them. */
const given = (tenant: string, relations: readonly Relation[]) =>
  daemon.database.query(
    `insert into relation select '${tenant}', from_id, to_id, edge_type, confidence, 0, 0
     from json_to_recordset('${JSON.stringify(relations)}') r(from_id bigint, to_id bigint, edge_type text, confidence real)`,
  );

/** The same numbers every time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const path = (...relations: [number, number, string?, number?][]): Relation[] =>
  relations.map(([from_id, to_id, edge_type = 'cites', confidence = 1]) => ({ from_id, to_id, edge_type, confidence }));

describe('an expansion', () => {
  it('says how far away each artifact is, how strongly it hangs together, and what that cost', async () => {
    await given('small', path([1, 2, 'cites', 0.5], [1, 3, 'uses', 1], [2, 4], [3, 4, 'cites', 0.8], [4, 5], [5, 6]));
    const { status, body } = await expand('small', { seed_artifact_ids: [1] });
    expect([status, body]).toEqual([
      200,
      {
        artifacts: [
          { artifact_id: 1, hop_distance: 0, score: 1 },
          { artifact_id: 3, hop_distance: 1, score: 0.5 },
          { artifact_id: 2, hop_distance: 1, score: 0.25 },
          { artifact_id: 4, hop_distance: 2, score: 0.2 },
        ],
        stats: { edges_traversed: 4, edge_types_used: ['cites', 'uses'], hops_used: 2, budget_remaining: 996 },
      },
    ]);
  });

  it('goes round in circles and loops once', async () => {
    await given('round', path([1, 1], [1, 2], [2, 1], [2, 3], [3, 1]));
    const { body } = await expand('round', { seed_artifact_ids: [1], max_hops: 6 });
    expect(body.artifacts.map((a: any) => [a.artifact_id, a.hop_distance])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    expect(body.stats).toMatchObject({ edges_traversed: 5, hops_used: 3 });
  });

  it('from seeds that nothing goes out from is the seeds', async () => {
    const { body } = await expand('nobody', { seed_artifact_ids: [4294967295, 7, 7], max_hops: 6 });
    expect(body).toEqual({
      artifacts: [
        { artifact_id: 7, hop_distance: 0, score: 1 },
        { artifact_id: 4294967295, hop_distance: 0, score: 1 },
      ],
      stats: { edges_traversed: 0, edge_types_used: [], hops_used: 0, budget_remaining: 1000 },
    });
  });

  const random = seeded(20261121);
  const pick = (n: number) => Math.floor(random() * n);
  const TYPES = ['cites', 'uses', 'Zitiert', 'übt'];

  it.each(Array.from({ length: 12 }, (_, n) => n))('of random graph %i is what a naive search finds', async (n) => {
    const nodes = 5 + pick(40);
    const relations = new Map<string, Relation>();
    for (let i = 0; i < nodes * (1 + pick(6)); i += 1) {
      const relation = { from_id: pick(nodes), to_id: pick(nodes), edge_type: TYPES[pick(4)]! };
      relations.set(JSON.stringify(relation), { ...relation, confidence: Math.fround(pick(11) / 10) });
    }
    const tenant = `random-${n}`;
    const all = [...relations.values()];
    await given(tenant, all);
    for (let i = 0; i < 15; i += 1) {
      const request: ExpansionRequest = {
        seed_artifact_ids: Array.from({ length: 1 + pick(4) }, () => pick(nodes)),
        ...(pick(2) ? { edge_types: TYPES.filter(() => pick(2)) } : {}),
        ...(pick(2) ? { max_hops: pick(7) } : {}),
        ...(pick(2) ? { budget: pick(all.length + 5) } : {}),
        ...(pick(2) ? { min_confidence: pick(11) / 10 } : {}),
      };
      const { body } = await expand(tenant, request);
      const plainly = expandPlainly(all, request);
      const score = (a: any) => ({ ...a, score: Math.fround(a.score) });
      expect({ request, ...body, artifacts: body.artifacts.map(score) }).toEqual({ request, ...plainly });
    }
  });

  it('of a dense hub stays within its budget to the last relation, and says what it used', async () => {
    // A hub that points at 60,000 artifacts, each of which points back at it and at a second hub.
    await daemon.database.query(`
      insert into relation select 'dense', 1, 1000 + n, case n % 2 when 0 then 'even' else 'odd' end, 0.25 + (n % 100) / 200.0, 0, 0
        from generate_series(1, 60000) n;
      insert into relation select 'dense', 1000 + n, hub, 'back', 1, 0, 0 from generate_series(1, 2) hub, generate_series(2, 20000, 2) n;`);
    const { body: few } = await expand('dense', { seed_artifact_ids: [1], max_hops: 6, budget: 777 });
    expect(few.stats).toEqual({
      edges_traversed: 777,
      edge_types_used: ['even', 'odd'],
      hops_used: 1,
      budget_remaining: 0,
    });
    expect(few.artifacts).toHaveLength(1 + 777);
    const { body: many } = await expand('dense', { seed_artifact_ids: [1], max_hops: 6, budget: 50_000 });
    expect(many.stats).toMatchObject({ edges_traversed: 50_000, hops_used: 1, budget_remaining: 0 });
    const typed = { edge_types: ['even', 'back', 'none'], min_confidence: 0.5, max_hops: 6 };
    const { body } = await expand('dense', { seed_artifact_ids: [1], budget: 40_000, ...typed });
    // 15,000 even ones are sure enough, of which 5,000 point back at both hubs; the second of them points at nothing.
    expect(body.stats).toEqual({
      edges_traversed: 15_000 + 10_000,
      edge_types_used: ['back', 'even'],
      hops_used: 2,
      budget_remaining: 15_000,
    });
    expect(body.artifacts).toHaveLength(1 + 15_000 + 1);
    const { body: sure } = await expand('dense', { seed_artifact_ids: [1], min_confidence: 0.99, budget: 5 });
    expect(sure.stats).toMatchObject({ edges_traversed: 0, hops_used: 0, budget_remaining: 5 });
  }, 120_000);

  it.each([
    ['no seeds', { seed_artifact_ids: [] }, 'seed_artifact_ids'],
    ['no list of seeds', {}, 'seed_artifact_ids'],
    ['a seed that is no u32', { seed_artifact_ids: [1, 2 ** 32] }, 'seed_artifact_ids'],
    ['too many seeds', { seed_artifact_ids: Array<number>(1001).fill(1) }, 'seed_artifact_ids'],
    ['too many hops', { seed_artifact_ids: [1], max_hops: 7 }, 'max_hops'],
    ['too great a budget', { seed_artifact_ids: [1], budget: 50_001 }, 'budget'],
    ['a budget below zero', { seed_artifact_ids: [1], budget: -1 }, 'budget'],
    ['a confidence above 1', { seed_artifact_ids: [1], min_confidence: 2 }, 'min_confidence'],
    ['types that are no text', { seed_artifact_ids: [1], edge_types: [1] }, 'edge_types'],
  ])('with %s is refused by name', async (_what, request, member) => {
    const { status, body } = await expand('small', request);
    expect([status, body.issues[0].path]).toEqual([400, `body.${member}`]);
  });

  it('sees the relations of the tenant it names alone, and takes admin:read', async () => {
    await given('one', path([1, 2]));
    await given('two', path([1, 3]));
    const found = (await expand('two', { seed_artifact_ids: [1] })).body.artifacts;
    expect(found.map((a: any) => a.artifact_id)).toEqual([1, 3]);
    const request = { tenant_id: 'two', seed_artifact_ids: [1] };
    const writer = daemon.as({ scopes: 'facts:write admin:write', tenant: 'two' });
    const refused = await writer('POST', '/v1/relations/expand', request);
    expect([refused.status, refused.body.missingAnyScope]).toEqual([403, ['admin:read']]);
  });
});
