import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { introduce, Site, TENANT } from './given.js';

let here: Site;
let there: Site;
beforeAll(async () => {
  [here, there] = await Promise.all([Site.start(), Site.start()]);
  await introduce([here, 'here'], [there, 'there']);
}, 240_000);
afterAll(() => Promise.all([here.close(), there.close()]));

const HOLDS = '/v1/legal-holds';
const EDGE = { from_kind: 'person', from_id: 'ada', edge_kind: 'wrote', to_kind: 'note', to_id: 'g', payload: null };
const expectEqual = ({ collections }: { collections: { source_root: string; target_root: string }[] }) => {
  expect(collections).toHaveLength(7);
  for (const one of collections) expect(one.source_root).toBe(one.target_root);
};

describe('two daemons', () => {
  it('have the same after a pull of all collections, and a second pull takes two requests', async () => {
    await there.fact('user:ada', 'city', 'London');
    await there.fact('user:gone', 'city', 'Paris');
    await there.forget('user:gone', 'city');
    await there.ok('PUT', '/v1/entities/person/ada', { payload: { born: 1815 } });
    await there.ok('PUT', '/v1/edges', EDGE);
    await there.ok('POST', '/v1/relations', {
      tenant_id: TENANT,
      from_id: 1,
      to_id: 2,
      edge_type: 'cites',
      confidence: 0.3,
    });
    await there.ok('POST', '/v1/cases', { task: 'Book a flight', action: 'Booked', outcome: 'Flown', success: true });
    await there.ok('POST', HOLDS, { tenant_id: TENANT, reason: 'Matter 1', entity_prefixes: ['user:bob'] });
    const pulled = await here.sync('pull', 'there');
    expect(pulled).toMatchObject({ state: 'equal', receipt_id: expect.any(String), unapplied: [] });
    expectEqual(pulled);
    expect(await here.valueOf('user:ada', 'city')).toBe('London');
    const again = await here.sync('pull', 'there');
    expect(again).toMatchObject({ state: 'equal', counts: {}, receipt_id: null });
    // And one for its nonce.
    expect(again.requests).toBe(1);
  });

  it('pull what changed, and push it', async () => {
    await there.fact('user:ada', 'city', 'Paris');
    await here.fact('user:bea', 'city', 'Rome');
    const pulled = await here.sync('pull', 'there');
    expect(pulled).toMatchObject({ state: 'complete', counts: { apply: 1 } });
    expect(await here.valueOf('user:ada', 'city')).toBe('Paris');
    const pushed = await here.sync('push', 'there');
    expect(pushed).toMatchObject({ state: 'equal', counts: { apply: 1 } });
    expectEqual(pushed);
    expect(await there.valueOf('user:bea', 'city')).toBe('Rome');
  });

  it('both keep what both wrote, and show the same of it', async () => {
    await here.fact('user:ada', 'born', '1815');
    await there.fact('user:ada', 'born', '1816');
    const pulled = await here.sync('pull', 'there');
    expect(pulled.unapplied).toMatchObject([{ verdict: 'conflict_kept', id: ['user:ada', 'born'] }]);
    expectEqual(await here.sync('push', 'there'));
    expect(await here.valueOf('user:ada', 'born')).toBe(await there.valueOf('user:ada', 'born'));
    await here.fact('user:ada', 'born', '1815, in December');
    expectEqual(await here.sync('push', 'there'));
    expect(await there.valueOf('user:ada', 'born')).toBe('1815, in December');
  });

  it('delete what was deleted, save what a legal hold keeps until it is released', async () => {
    await there.fact('user:held', 'city', 'Oslo');
    await here.sync('pull', 'there');
    const { hold } = await here.ok<{ hold: { id: string } }>('POST', HOLDS, {
      ...{ tenant_id: TENANT, reason: 'Matter 2', entity_prefixes: ['user:held'] },
    });
    await there.forget('user:held', 'city');
    await there.forget('user:bea', 'city');
    const pulled = await here.sync('pull', 'there');
    expect(pulled.counts).toMatchObject({ tombstone: 1, refused_hold: 1 });
    expect([await here.valueOf('user:bea', 'city'), await here.valueOf('user:held', 'city')]).toEqual([
      undefined,
      'Oslo',
    ]);
    expectEqual(await here.sync('push', 'there'));
    await here.ok('DELETE', `${HOLDS}/${hold.id}?tenant_id=${TENANT}`);
    expectEqual(await here.sync('push', 'there'));
    expect(await here.valueOf('user:held', 'city')).toBeUndefined();
  });

  it('say how far they are', async () => {
    const { exchanges } = await here.json<{ exchanges: object[] }>('sync', 'status', '--tenant', TENANT);
    expect(exchanges).toMatchObject([
      { peer_id: 'there', direction: 'pull', state: 'complete' },
      { peer_id: 'there', direction: 'push', state: 'equal' },
    ]);
    const unknown = await here.run('sync', 'status', 'nowhere', '--tenant', TENANT);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('nowhere')]);
  });

  it('go on where they were, whichever of them was killed on the way', { timeout: 480_000 }, async () => {
    const COUNT = 3000;
    await there.import('import:many', COUNT, (n) => `value ${n} ${'x'.repeat(500)}`);
    const counted = async () => {
      const [row] = await here.database.query<{ n: string }>(
        `select count(*) as n from fact where entity = 'import:many'`,
      );
      return Number(row!.n);
    };
    const cut = async (kill: () => Promise<unknown>) => {
      const before = await counted();
      const child = here.start('sync', 'pull', 'there', '--tenant', TENANT, '--json');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!isOver && (await counted()) === before) await sleep(20);
      await kill();
      child.kill('SIGKILL');
      await ended;
    };
    await cut(() => Promise.resolve());
    await cut(() => there.daemon.stop('SIGKILL'));
    await there.daemon.start();
    const pulled = await here.sync('pull', 'there');
    expect(pulled.state).toBe('equal');
    expectEqual(pulled);
    expect(await counted()).toBe(COUNT);
  });

  it('exchange nothing once one has revoked the other', async () => {
    await there.json('peer', 'revoke', 'here', '--tenant', TENANT);
    const refused = await here.run('sync', 'pull', 'there', '--tenant', TENANT, '--json');
    expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining('REVOKED')]);
    await here.json('peer', 'revoke', 'there', '--tenant', TENANT);
    const known = await here.run('sync', 'pull', 'there', '--tenant', TENANT);
    expect([known.code, known.stderr]).toEqual([2, expect.stringContaining('revoked')]);
  });
});

describe('two daemons that open one prefix', () => {
  let a: Site;
  let b: Site;
  beforeAll(async () => {
    [a, b] = await Promise.all([Site.start(), Site.start()]);
    await introduce([a, 'a'], [b, 'b'], { prefix: 'project:' });
  }, 240_000);
  afterAll(() => Promise.all([a.close(), b.close()]));

  it('let nothing else across, either way', async () => {
    await a.fact('project:one', 'state', 'from a');
    await a.fact('user:a', 'secret', 'of a');
    await b.fact('project:two', 'state', 'from b');
    await b.fact('user:b', 'secret', 'of b');
    expect(await a.sync('pull', 'b')).toMatchObject({ state: 'complete', unapplied: [] });
    expectEqual(await a.sync('push', 'b'));
    expect([await a.valueOf('project:two', 'state'), await b.valueOf('project:one', 'state')]).toEqual([
      'from b',
      'from a',
    ]);
    expect([await a.factsOf('user:b'), await b.factsOf('user:a')]).toEqual([[], []]);
  });

  it('are left by offboarding, and what came from the other goes', async () => {
    const wouldLeave = await a.json('sync', 'offboard', '--tenant', TENANT, '--dry-run');
    expect(wouldLeave).toMatchObject({ ended_peers: ['b'], removed_count: 1, remaining_count: 0, receipt_id: null });
    const left = await a.json('sync', 'offboard', '--tenant', TENANT);
    expect(left).toMatchObject({ ended_peers: ['b'], removed_count: 1, kept_count: 0 });
    expect([await a.valueOf('project:two', 'state'), await a.valueOf('project:one', 'state')]).toEqual([
      undefined,
      'from a',
    ]);
    expect((await a.run('sync', 'pull', 'b', '--tenant', TENANT)).code).toBe(2);
    const receipts = await a.database.query(
      `select r.kind from sync_peer p join receipt r on r.tenant_id = p.tenant_id and r.receipt_id = p.revoke_receipt`,
    );
    expect(receipts).toEqual([{ kind: 'sync.peer_revoked' }]);
  });
});
