import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExchangeProgressStore } from '../../../src/modules/memory/sync-exchange/exchange-progress.store.js';
import { SyncPromotionsService } from '../../../src/modules/memory/sync/sync-promotions.service.js';
import { FULL_REACH } from '../../../src/modules/memory/sync/sync.types.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type Item, Replica } from './given.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: [...'abcdefghijklmnop'] });
});
afterAll(() => daemon.close());
const BY = { principal: 'peer:x', authType: 'test' };
const replica = (tenant: string) => new Replica(daemon, tenant);
const rowsOf = (table: string, tenant: string) =>
  daemon.database.query<{ line: string }>(`select to_jsonb(r)::text as line from ${table} r where tenant_id = $1`, [
    tenant,
  ]);
const linesOf = async (tenant: string): Promise<string> =>
  (
    await Promise.all(
      ['sync_record', 'sync_content', 'sync_change', 'sync_tenant'].map((table) => rowsOf(table, tenant)),
    )
  )
    .flat()
    .map(({ line }) => line)
    .join('\n');

interface Offboarded {
  removed_count: number;
  kept_count: number;
  membership_epoch: string;
  kept: { id: string[] }[];
  receipt_id: string | null;
}

describe('an erasure', () => {
  it('leaves a deletion without content, and without a digest of content, that nothing comes back from', async () => {
    const [a, b] = [replica('a'), replica('b')];
    await a.fact('user:ann', 'diary', 'nightingale one');
    await b.fact('user:ann', 'diary', 'nightingale two');
    await a.fact('user:bob', 'diary', 'stays');
    await a.pull(b);
    await b.pull(a);
    expect(await rowsOf('sync_content', 'a')).toHaveLength(1);
    const before = await a.everything();
    const hashes = before.filter(({ id }) => id[0] === 'user:ann').map(({ origin }) => origin.hash!.slice(7));
    const call = daemon.as({ tenant: 'a', scopes: ALL_SCOPES });
    const erased = await call('POST', '/v1/facts/erase', { entities: ['user:ann'] });
    expect([erased.status, (erased.body as { erasure: { state: string } }).erasure.state]).toEqual([200, 'removed']);
    const left = await linesOf('a');
    for (const text of ['nightingale', ...hashes]) expect(left).not.toContain(text);
    expect((await a.all('tombstones')).map(({ id, origin }) => [id, origin.hash])).toEqual([
      [['facts', 'user:ann', 'diary'], null],
    ]);
    expect((await a.take(before)).counts).toEqual([{ verdict: 'skip_same', count: 3 }]);
    expect(await a.valueOf('user:ann', 'diary')).toBeUndefined();
    await b.pull(a);
    expect(await b.valueOf('user:ann', 'diary')).toBeUndefined();
    expect(await b.roots()).toEqual(await a.roots());
    expect(await linesOf('b')).not.toContain('nightingale');
  });

  it('of a text takes the version that has it, though another is shown', async () => {
    const [c, d] = [replica('c'), replica('d')];
    await c.fact('user:x', 'k', 'first');
    await d.fact('user:x', 'k', 'second');
    await c.pull(d);
    const shown = await c.valueOf('user:x', 'k');
    const other = shown === 'first' ? 'second' : 'first';
    const call = daemon.as({ tenant: 'c', scopes: ALL_SCOPES });
    expect((await call('POST', '/v1/facts/erase', { texts: [other] })).status).toBe(200);
    expect(await linesOf('c')).not.toContain(`"${other}"`);
    expect((await c.all('facts')).map(({ content }) => content?.['value'])).toEqual(
      // What is shown in the place of another has that among its versions, and goes with it.
      shown === 'first' ? ['first'] : [],
    );
    await d.pull(c);
    expect(await d.roots()).toEqual(await c.roots());
  });
});

describe('a legal hold', () => {
  it('keeps the content of versions that are not shown', async () => {
    const [e, f] = [replica('e'), replica('f')];
    await e.ok('PUT', '/v1/entities/person/ada', { payload: 'e' });
    await f.ok('PUT', '/v1/entities/person/ada', { payload: 'f' });
    await e.pull(f);
    await e.ok('POST', '/v1/legal-holds', { tenant_id: 'e', reason: 'M', entity_prefixes: ['person:'] });
    await e.ok('PUT', '/v1/entities/person/ada', { payload: 'newer' });
    await e.manifest();
    expect(await rowsOf('sync_content', 'e')).toHaveLength(1);
    expect((await e.ok<{ conflicts: unknown[] }>('GET', e.at('conflicts'))).conflicts).toEqual([]);
    await expect(daemon.database.query(`delete from sync_content where tenant_id = 'e'`)).rejects.toThrow('legal hold');
  });
});

describe('an offboarding', () => {
  it('removes what came from peers alone, lists what holds keep, and leaves no deletion that travels', async () => {
    const [g, h] = [replica('g'), replica('h')];
    for (const name of ['one', 'two', 'held']) await g.fact(`user:${name}`, 'k', name);
    await g.ok('PUT', '/v1/entities/person/ada', { payload: 1 });
    await h.fact('user:mine', 'k', 'mine');
    await h.pull(g);
    await h.fact('user:two', 'k', 'changed here');
    await h.ok('POST', '/v1/legal-holds', { tenant_id: 'h', reason: 'M', entity_prefixes: ['user:held'] });
    const dry = await h.ok<Offboarded>('POST', h.at('offboard'), { dry_run: true });
    expect([dry.removed_count, dry.kept.map(({ id }) => id[0]), dry.receipt_id]).toEqual([2, ['user:held'], null]);
    const done = await h.ok<Offboarded>('POST', h.at('offboard'), { membership_epoch: 1 });
    expect([done.removed_count, done.kept_count, done.membership_epoch]).toEqual([2, 1, '2']);
    expect(done.receipt_id).toEqual(expect.any(String));
    const values = await Promise.all(['one', 'two', 'held', 'mine'].map((name) => h.valueOf(`user:${name}`, 'k')));
    expect(values).toEqual([undefined, 'changed here', 'held', 'mine']);
    expect(await h.all('tombstones')).toEqual([]);
    const old = await h.call('POST', h.at('offboard'), { membership_epoch: 1 });
    expect([old.status, old.body]).toMatchObject([409, { membership_epoch: '2' }]);
    expect((await h.ok<Offboarded>('POST', h.at('offboard'), {})).removed_count).toBe(0);
    await g.pull(h);
    expect(await g.valueOf('user:one', 'k')).toBe('one');
  });
});

describe('the index', () => {
  it('pages in any size and goes on by cursor, and after a position', async () => {
    const i = replica('i');
    for (let n = 0; n < 7; n += 1) await i.fact(`user:${n}`, 'k', `${n}`);
    const all = await i.all('facts');
    for (const limit of [1, 2, 3, 6, 7]) expect(await i.all('facts', limit)).toEqual(all);
    const { position } = await i.manifest();
    await i.fact('user:3', 'k', 'again');
    await i.fact('user:8', 'k', 'new');
    type Page = { items: Item[]; position: number; next_cursor: string | null; root_so_far: string | null };
    const page = await i.ok<Page>('GET', i.at(`collections/facts?since=${position}&limit=1`));
    const next = await i.ok<Page>(
      'GET',
      i.at(`collections/facts?since=${position}&limit=1&cursor=${page.next_cursor}`),
    );
    expect([page, next].map(({ items }) => items[0]!.id[0])).toEqual(['user:3', 'user:8']);
    expect([next.next_cursor, next.root_so_far, next.position]).toEqual([null, null, (await i.manifest()).position]);
    const last = await i.ok<Page>('GET', i.at(`collections/facts?since=${next.position}`));
    expect(last.items).toEqual([]);
    expect((await i.call('GET', i.at('collections/facts?since=9223372036854775808'))).status).toBe(400);
  });

  it('says by one root that nothing is missing, the last page of a pass included', async () => {
    const j = replica('j');
    for (let n = 0; n < 5; n += 1) await j.fact(`user:${n}`, 'k', `${n}`);
    const { collections } = await j.manifest();
    const first = await j.ok<{ next_cursor: string }>('GET', j.at('collections/facts?limit=3'));
    const second = await j.ok<{ root_so_far: string; page_digest: string }>(
      'GET',
      j.at(`collections/facts?limit=3&cursor=${first.next_cursor}`),
    );
    expect(second.root_so_far).toBe(collections.find(({ name }) => name === 'facts')!.root);
    const items = await j.all('facts');
    const diff = await j.ok<{ missing: Item[]; unknown: unknown[] }>('POST', j.at('collections/facts/diff'), {
      items: [
        { id: items[0]!.id, digests: [items[0]!.digest] },
        { id: items[1]!.id, digests: [`sha256:${'0'.repeat(64)}`] },
        { id: ['user:none', 'k'], digests: [] },
      ],
    });
    expect([diff.missing.map(({ digest }) => digest), diff.unknown]).toEqual([
      [items[1]!.digest],
      [{ id: items[1]!.id, digests: [`sha256:${'0'.repeat(64)}`] }],
    ]);
  });

  it('begins a new origin where the log has begun a new epoch', async () => {
    const k = replica('k');
    await k.fact('user:ada', 'k', '1');
    const { origin } = await k.manifest();
    await daemon.database.query(`update sync_tenant set log_epoch = 'another/1' where tenant_id = 'k'`);
    await k.fact('user:ada', 'k', '2');
    expect((await k.manifest()).origin).not.toBe(origin);
    const [item] = await k.all('facts');
    expect([Object.keys(item!.vector).length, item!.origin.seq]).toEqual([2, 1]);
  });

  it('misses no write that was under way when a tenant began to sync', async () => {
    const l = replica('l');
    const client = new Client(daemon.database.urlAs('svc_app'));
    await client.connect();
    await client.query('begin');
    await client.query(`select * from svc_store_entity('l', 'person', 'late', '1', 'test', gen_random_uuid())`);
    const enabling = l.manifest();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await client.query('commit');
    await client.end();
    await enabling;
    expect((await l.all('entities')).map(({ id }) => id)).toEqual([['person', 'late']]);
  });

  it('keeps up with writers that go on while pages are read and records are taken in', async () => {
    const [m, n] = [replica('m'), replica('n')];
    // A preview would have moved before each confirmation.
    const apply = (tenant: string, records: Item[]) =>
      daemon.app.get(SyncPromotionsService, { strict: false }).apply(BY, tenant, FULL_REACH, records);
    let isOver = false;
    const writing = (async () => {
      for (let count = 0; !isOver; count += 1) {
        await m.fact(`user:${count % 5}`, 'k', `m${count}`);
        await m.ok('PUT', `/v1/entities/person/${count % 5}`, { payload: count });
        await n.fact(`user:${count % 5}`, 'k', `n${count}`);
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      await apply('n', await m.everything());
      await apply('m', await n.everything());
    }
    isOver = true;
    await writing;
    await n.pull(m);
    await m.pull(n);
    expect(await m.roots()).toEqual(await n.roots());
    for (let count = 0; count < 5; count += 1)
      expect(await m.valueOf(`user:${count}`, 'k')).toBe(await n.valueOf(`user:${count}`, 'k'));
  });

  it('costs a tenant that does not sync no row', async () => {
    const o = replica('o');
    await o.fact('user:ada', 'k', '1');
    await o.ok('PUT', '/v1/entities/person/ada', { payload: 1 });
    expect(await linesOf('o')).toBe('');
  });
});

describe('the progress of an exchange', () => {
  it('has no end while it runs, nor where it was cut off', async () => {
    const store = daemon.app.get(ExchangeProgressStore, { strict: false });
    const name = { tenantId: 'p', peerId: 'laptop', way: 'pull' } as const;
    const read = async () => (await store.list('p', 'laptop')).map(({ state, ended_at }) => [state, ended_at]);
    await store.begin(name);
    await store.end(name, { state: 'equal', message: null, taken: 0, refused: 0, receiptId: null });
    expect(await read()).toEqual([['equal', expect.any(Date)]]);
    await store.begin(name);
    expect(await read()).toEqual([['running', null]]);
    await store.end(name, { state: 'equal', message: null, taken: 0, refused: 0, receiptId: null });
    expect(await store.claim(name, 0)).toBe(true);
    expect(await read()).toEqual([['running', null]]);
  });
});
