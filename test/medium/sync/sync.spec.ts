import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type Item, Replica } from './given.js';

interface Conflict {
  conflict_id: string;
  collection: string;
  shown: string | null;
  versions: Item[];
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: [...'abcdefghijklmnop'] });
});
afterAll(() => daemon.close());
const EDGE = { from_kind: 'person', from_id: 'ada', edge_kind: 'wrote', to_kind: 'note', to_id: 'g' };
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

describe('what was deleted', () => {
  it('is deleted at the other, and does not come back', async () => {
    const [c, d] = [replica('c'), replica('d')];
    await c.fact('user:ada', 'city', 'London');
    await c.ok('PUT', '/v1/entities/person/ada', { payload: 1 });
    await c.ok('PUT', '/v1/edges', { ...EDGE, payload: 2 });
    const { case: made } = await c.ok<{ case: { case_id: string } }>('POST', '/v1/cases', {
      task: 'T',
      action: 'A',
      outcome: 'O',
      success: true,
    });
    await d.pull(c);
    const before = await d.everything();
    await d.forget('user:ada', 'city');
    await d.ok('DELETE', '/v1/entities/person/ada');
    await d.ok('DELETE', '/v1/edges', { ...EDGE });
    await d.ok('DELETE', `/v1/cases/${made.case_id}`);
    await c.pull(d);
    expect(await c.roots()).toEqual(await d.roots());
    expect(await c.valueOf('user:ada', 'city')).toBeUndefined();
    expect((await c.manifest()).collections.map(({ count }) => count)).toEqual([0, 4, 0, 0, 0, 0, 0]);
    expect((await c.take(before)).counts).toEqual([{ verdict: 'skip_same', count: 4 }]);
    expect(await c.valueOf('user:ada', 'city')).toBeUndefined();
  });

  it('in one go has one receipt, and the evidence of all of it holds', async () => {
    const [i, j] = [replica('i'), replica('j')];
    await i.ok(
      'PUT',
      '/v1/facts/bulk',
      Array.from({ length: 30 }, (_, n) => ({ entity: `user:${n}`, key: 'k', value: `${n}` })),
    );
    await j.pull(i);
    for (let n = 0; n < 30; n += 3) await i.forget(`user:${n}`, 'k');
    await j.pull(i);
    expect(await j.roots()).toEqual(await i.roots());
    const { facts } = await j.ok<{ facts: unknown[] }>('GET', '/v1/facts/list');
    expect(facts).toHaveLength(20);
    await daemon.app.get(LogSequencer, { strict: false }).integrate();
    const audit = daemon.app.get(EvidenceAudit, { strict: false });
    expect([(await audit.verifyChain()).faults, (await audit.verifyLog()).faults]).toEqual([[], []]);
  });

  it('stays while a legal hold pins it, and goes once that is released', async () => {
    const [e, f] = [replica('e'), replica('f')];
    await e.fact('user:ada', 'city', 'London');
    await f.pull(e);
    const { hold } = await f.ok<{ hold: { id: string } }>('POST', '/v1/legal-holds', {
      tenant_id: 'f',
      reason: 'M',
      entity_prefixes: ['user:'],
    });
    await e.forget('user:ada', 'city');
    const taken = await f.take(await e.everything());
    expect([taken.applied_count, taken.counts]).toEqual([0, [{ verdict: 'refused_hold', count: 1 }]]);
    expect(await f.valueOf('user:ada', 'city')).toBe('London');
    await e.pull(f);
    expect(await f.roots()).toEqual(await e.roots());
    await f.ok('DELETE', `/v1/legal-holds/${hold.id}`);
    await f.manifest();
    expect(await f.valueOf('user:ada', 'city')).toBeUndefined();
    await e.pull(f);
    expect(await f.roots()).toEqual(await e.roots());
    expect((await e.all('holds'))[0]?.content).toMatchObject({ hold_id: hold.id, released_at: expect.any(String) });
  });
});

describe('versions that do not know of each other', () => {
  it('are kept, listed, and one of them is chosen', async () => {
    const [g, h] = [replica('g'), replica('h')];
    await g.fact('user:ada', 'city', 'London');
    await h.fact('user:ada', 'city', 'Paris');
    await g.ok('PUT', '/v1/entities/person/ada', { payload: 'g' });
    await h.ok('PUT', '/v1/entities/person/ada', { payload: 'h' });
    await h.fact('user:same', 'k', 'same');
    await h.pull(g);
    await g.pull(h);
    expect(await g.roots()).toEqual(await h.roots());
    expect(await g.valueOf('user:ada', 'city')).toBe(await h.valueOf('user:ada', 'city'));
    const { conflicts } = await g.ok<{ conflicts: Conflict[] }>('GET', g.at('conflicts'));
    expect(conflicts.map(({ collection }) => collection).sort()).toEqual(['entities', 'facts']);
    const first = await g.ok<{ conflicts: Conflict[]; next_cursor: string; has_more: boolean }>(
      'GET',
      g.at('conflicts?limit=1'),
    );
    const second = await g.ok<{ conflicts: Conflict[] }>('GET', g.at(`conflicts?limit=1&cursor=${first.next_cursor}`));
    expect([first.has_more, [...first.conflicts, ...second.conflicts]]).toEqual([true, conflicts]);
    for (const { conflict_id, versions, shown } of conflicts) {
      expect(versions).toHaveLength(2);
      const loser = versions.find(({ digest }) => digest !== shown)!;
      const { version } = await g.ok<{ version: Item }>('POST', g.at(`conflicts/${conflict_id}`), {
        digest: loser.digest,
      });
      expect(version.content).toEqual(loser.content);
      const again = await g.call('POST', g.at(`conflicts/${conflict_id}`), { digest: loser.digest });
      expect([again.status, again.body]).toMatchObject([404, { conflict_id }]);
    }
    await h.pull(g);
    expect(await g.roots()).toEqual(await h.roots());
    expect((await h.ok<{ conflicts: Conflict[] }>('GET', h.at('conflicts'))).conflicts).toEqual([]);
    expect(await g.valueOf('user:ada', 'city')).toBe(await h.valueOf('user:ada', 'city'));
  });
});
