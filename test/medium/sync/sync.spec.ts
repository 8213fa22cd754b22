import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { Replica } from './given.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: ['a', 'b', 'c', 'd', 'e', 'f'] });
});
afterAll(() => daemon.close());
const replica = (tenant: string) => new Replica(daemon, tenant);

describe('records of all collections', () => {
  it('arrive at another tenant as they are, and the roots are equal', async () => {
    const [a, b] = [replica('a'), replica('b')];
    await a.fact('user:ada', 'city', 'London');
    await a.ok('PUT', '/v1/entities/person/ada', { payload: { name: 'Ada', born: 1815 } });
    await a.ok('PUT', '/v1/edges', {
      from_kind: 'person',
      from_id: 'ada',
      edge_kind: 'wrote',
      to_kind: 'note',
      to_id: 'g',
      payload: null,
    });
    await a.ok('POST', '/v1/relations', { tenant_id: 'a', from_id: 1, to_id: 2, edge_type: 'cites', confidence: 0.3 });
    await a.ok('POST', '/v1/cases', { task: 'Book a flight', action: 'Booked', outcome: 'Flown', success: true });
    await a.ok('POST', '/v1/legal-holds', { tenant_id: 'a', reason: 'Matter 1', entity_prefixes: ['user:bob'] });
    const { collections } = await a.manifest();
    expect(collections.map(({ name, count }) => [name, count])).toEqual([
      ['holds', 1],
      ['tombstones', 0],
      ['entities', 1],
      ['edges', 1],
      ['facts', 1],
      ['relations', 1],
      ['cases', 1],
    ]);
    await b.pull(a);
    expect(await b.roots()).toEqual(await a.roots());
    expect(await b.valueOf('user:ada', 'city')).toBe('London');
    const again = await b.take(await a.everything());
    expect([again.applied_count, again.counts]).toEqual([0, [{ verdict: 'skip_same', count: 6 }]]);
    expect((await b.everything()).map(({ position: _, ...rest }) => rest)).toEqual(
      (await a.everything()).map(({ position: _, ...rest }) => rest),
    );
    await a.pull(b);
    expect(await b.roots()).toEqual(await a.roots());
  });
});
