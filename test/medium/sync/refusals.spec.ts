import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SyncManifestService } from '../../../src/modules/memory/sync/sync-manifest.service.js';
import { SyncPagesService } from '../../../src/modules/memory/sync/sync-pages.service.js';
import { SyncPromotionsService } from '../../../src/modules/memory/sync/sync-promotions.service.js';
import { completeVersion, contentDigest } from '../../../src/modules/memory/sync/sync-digests.rules.js';
import type { RecordCollection, SyncContent } from '../../../src/modules/memory/sync/sync-record.types.js';
import { recordOf } from '../../../src/modules/memory/sync/sync.views.js';
import { type Collection, FULL_REACH, type SyncReach } from '../../../src/modules/memory/sync/sync.types.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type Item, Replica } from './given.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: [...'abcdefghijklm'] });
});
afterAll(() => daemon.close());
const replica = (tenant: string) => new Replica(daemon, tenant);
const BY = { principal: 'peer:x', authType: 'test' };

/** A version of another server. */
function foreign(
  target: RecordCollection,
  parts: string[],
  content: SyncContent | null,
  vector = { other: 1 } as Record<string, number>,
): Item {
  const version = completeVersion({
    ...{ target, parts, vector, writer: 'other', seq: vector['other']!, isDeleted: content === null },
    contentDigest: content === null ? null : contentDigest(content),
  });
  return { ...recordOf(version), content } as Item;
}
const fact = (entity: string, value: string, more: object = {}): Item =>
  foreign('facts', [entity, 'k'], {
    ...{ actor: 'passport:o', confidence: 1, entity, horizon_class: 'durable', key: 'k', tenant_hash: null },
    ...{ valid_from: '2026-01-01T00:00:00.000Z', valid_to: null, value, ...more },
  });
const hold = (id: string, prefixes: string[], vector: Record<string, number>, released: string | null = null): Item =>
  foreign(
    'holds',
    [id],
    {
      ...{
        entity_prefixes: prefixes,
        hold_id: id,
        placed_at: '2026-01-01T00:00:00.000Z',
        placed_by: 'passport:o',
        reason: 'M',
      },
      ...{ released_at: released, released_by: released === null ? null : 'passport:o' },
    },
    vector,
  );
const HOLD = '0199aaaa-0000-7000-8000-000000000001';

const rowsOf = async (one: Replica, records: Item[]) =>
  (
    await one.ok<{ rows: { verdict: string; reason: string | null }[] }>('POST', one.at('promotions/preview'), {
      records,
    })
  ).rows;

describe('a record that is not what it says of itself', () => {
  it('is 400 naming it, and nothing of the request is stored', async () => {
    const a = replica('a');
    const good = fact('user:ada', 'London');
    const tampered = { ...fact('user:bob', 'Paris'), content: { ...good.content, value: 'other' } };
    for (const path of ['preview', 'confirm']) {
      const { status, body } = await a.call('POST', a.at(`promotions/${path}`), { records: [good, tampered] });
      expect([status, (body as { issues: { path: string }[] }).issues[0]?.path]).toEqual([
        400,
        'body.records[1].content',
      ]);
    }
    expect(await a.all('facts')).toEqual([]);
  });
});

describe('content that is not taken', () => {
  it.each([
    ['a secret', fact('user:ada', 'password: hunter2hunter2')],
    ['a reserved prefix', fact('svc:x', 'v')],
    [
      'another id',
      { ...fact('user:ada', 'v'), ...foreign('facts', ['user:bob', 'k'], fact('user:ada', 'v').content!) },
    ],
    ['too much confidence', fact('user:ada', 'v', { confidence: 2 })],
    ['a member more', fact('user:ada', 'v', { extra: 1 })],
    ['a validity that ends before it begins', fact('user:ada', 'v', { valid_to: '2025-01-01T00:00:00.000Z' })],
    ['no content', { ...fact('user:ada', 'v'), content: null }],
    ['a deleted hold', foreign('holds', [HOLD], null)],
    [
      'a payload that its kind would not store',
      foreign('entities', ['engram', 'x'], { kind: 'engram', id: 'x', payload: 1 }),
    ],
  ])('for %s is refused with the reason', async (_, record) => {
    const [row] = await rowsOf(replica('a'), [record]);
    expect(row).toMatchObject({ verdict: 'refused_content', reason: expect.any(String) });
    expect((await replica('a').take([record])).applied_count).toBe(0);
  });

  it('is not a payload as deep as PUT takes it', async () => {
    const payload = JSON.parse('['.repeat(31) + ']'.repeat(31)) as unknown;
    await replica('h').ok('PUT', '/v1/entities/doc/deep', { payload });
    await replica('g').pull(replica('h'));
    expect((await replica('g').all('entities')).map(({ content }) => content!['payload'])).toEqual([payload]);
  });

  it('is one of too many versions of one record', async () => {
    const many = Array.from({ length: 65 }, (_, n) => {
      const content = fact('user:crowd', `${n}`).content!;
      return foreign('facts', ['user:crowd', 'k'], content, { other: 1, [`o${n}`]: 1 });
    });
    const rows = await rowsOf(replica('a'), many);
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(['refused_content']));
    expect(new Set((await rowsOf(replica('a'), many.slice(0, 64))).map(({ verdict }) => verdict))).toEqual(
      new Set(['conflict_kept']),
    );
  });

  it('is one that leaves no place for a write of this server in its vector, and others are taken', async () => {
    const g = replica('g');
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`o${n}`, 1]));
    const crowded = (count: number) =>
      foreign('facts', ['user:o', 'k'], fact('user:o', `${count}`).content!, { other: 1, ...many(count) });
    const verdicts = async (count: number) =>
      (await g.take([crowded(count), fact('user:after', `${count}`)])).counts.map(({ verdict }) => verdict);
    expect(await verdicts(300)).toEqual(['apply', 'refused_content']);
    expect(await verdicts(255)).toEqual(['conflict_kept', 'refused_content']);
    expect(await verdicts(254)).toEqual(['apply', 'conflict_kept']);
    await g.fact('user:o', 'k', 'written over');
    const [item] = (await g.all('facts')).filter(({ id }) => id[0] === 'user:o');
    expect(Object.keys(item!.vector)).toHaveLength(256);
    expect((await replica('h').take([{ ...item!, position: undefined }])).counts).toEqual([
      { verdict: 'refused_content', count: 1 },
    ]);
  });

  it('is a write of this server that it never made', async () => {
    const a = replica('a');
    await a.fact('user:own', 'k', 'mine');
    const { origin } = await a.manifest();
    const [row] = await rowsOf(a, [
      foreign('facts', ['user:own', 'k'], fact('user:own', 'forged').content!, { other: 1, [origin]: 1000 }),
    ]);
    expect(row).toMatchObject({ verdict: 'refused_content', reason: expect.stringContaining(origin) });
  });
});

describe('a confirmation', () => {
  it('of what is not as previewed is 412 with nothing applied, and sent again changes nothing', async () => {
    const b = replica('b');
    const records = [fact('user:ada', 'London'), fact('user:bob', 'Paris')];
    const { confirm_hash } = await b.ok<{ confirm_hash: string }>('POST', b.at('promotions/preview'), { records });
    await b.fact('user:bob', 'k', 'Rome');
    const refused = await b.call('POST', b.at('promotions/confirm'), { records, confirm_hash });
    expect([refused.status, refused.body]).toMatchObject([412, { code: 'SYNC_STATE_MOVED' }]);
    expect((await b.call('POST', b.at('promotions/confirm'), { records })).status).toBe(412);
    expect(await b.valueOf('user:ada', 'k')).toBeUndefined();
    const preview = await b.ok<{ confirm_hash: string; record_hash: string }>('POST', b.at('promotions/preview'), {
      records,
    });
    const body = { records, confirm_hash: preview.confirm_hash };
    const first = await b.ok<object>('POST', b.at('promotions/confirm'), body);
    expect(first).toMatchObject({
      applied_count: 2,
      record_hash: preview.record_hash,
      tenant_id: 'b',
      schema: 'svc.sync_confirm/1',
    });
    const again = await b.ok<object>('POST', b.at('promotions/confirm'), body);
    expect(again).toMatchObject({ applied_count: 0, record_hash: preview.record_hash, receipt_id: null });
    const receipts = await daemon.database.query(`select from receipt where tenant_id = 'b' and kind = 'sync.applied'`);
    expect(receipts).toHaveLength(1);
  });

  it('shows what is here, where that is asked for', async () => {
    const b = replica('b');
    const records = [fact('user:ada', 'Oslo', {})];
    const { rows } = await b.ok<{ rows: { local: string[]; local_versions: Item[] }[] }>(
      'POST',
      b.at('promotions/preview'),
      { records, include_content: true },
    );
    expect(rows[0]!.local_versions.map(({ digest }) => digest)).toEqual(rows[0]!.local);
    expect(rows[0]!.local_versions[0]!.content).toMatchObject({ value: 'London' });
  });

  it('takes what is in the allowlist alone', async () => {
    const b = replica('b');
    const records = [fact('team:x', '1'), fact('home:x', '2')];
    const { rows, confirm_hash } = await b.ok<{ rows: { verdict: string }[]; confirm_hash: string }>(
      'POST',
      b.at('promotions/preview'),
      {
        ...{ records, allowlist: ['team:'] },
      },
    );
    expect(rows.map(({ verdict }) => verdict)).toEqual(['apply', 'refused_scope']);
    const body = { records, allowlist: ['team:'], confirm_hash };
    expect(await b.ok('POST', b.at('promotions/confirm'), body)).toMatchObject({ applied_count: 1 });
    expect((await b.all('facts')).map(({ id }) => id[0])).not.toContain('home:x');
  });
});

describe('the reach of a peer', () => {
  const within = (...prefixes: string[]): SyncReach => ({ ...FULL_REACH, peerId: 'x', prefixes });
  const promotions = () => daemon.app.get(SyncPromotionsService, { strict: false });
  const apply = (tenant: string, reach: SyncReach, records: Item[]) => promotions().apply(BY, tenant, reach, records);

  it('bounds what it is shown: pages, counts and roots', async () => {
    const c = replica('c');
    await c.fact('open:a', 'k', '1');
    await c.fact('secret:a', 'k', '2');
    await c.ok('PUT', '/v1/edges', {
      from_kind: 'open',
      from_id: 'a',
      edge_kind: 'e',
      to_kind: 'secret',
      to_id: 'a',
      payload: 1,
    });
    await c.forget('secret:a', 'k');
    const { collections } = await daemon.app.get(SyncManifestService, { strict: false }).read('c', within('open:'));
    expect(collections.map(({ name, count }) => [name, count]).filter(([, count]) => count !== 0)).toEqual([
      ['facts', 1],
    ]);
    const pages = daemon.app.get(SyncPagesService, { strict: false });
    const query = { limit: 500, include_content: true };
    const read = async (collection: Collection, reach: SyncReach) =>
      (await pages.page('c', reach, collection, query)).items.map(({ id }) => id);
    expect(await read('facts', within('open:'))).toEqual([['open:a', 'k']]);
    expect([await read('tombstones', within('open:')), await read('edges', within('open:'))]).toEqual([[], []]);
    expect(await read('edges', within('open:', 'secret:'))).toHaveLength(1);
    const known = await pages.diff('c', within('open:'), 'tombstones', {
      ...{ items: [{ id: ['facts', 'secret:a', 'k'], digests: [] }], include_content: true },
    });
    expect(known.missing).toEqual([]);
  });

  it('bounds what it brings', async () => {
    const done = await apply('d', within('open:'), [
      fact('open:a', '1'),
      fact('secret:a', '2'),
      foreign('facts', ['secret:a', 'k'], null),
    ]);
    expect(done).toMatchObject({ applied_count: 1 });
    expect(await replica('d').valueOf('secret:a', 'k')).toBeUndefined();
    const { collections } = await replica('d').manifest();
    expect(collections.filter(({ count }) => count > 0).map(({ name }) => name)).toEqual(['facts']);
    const onlyFacts: SyncReach = { ...FULL_REACH, peerId: 'x', collections: new Set(['facts']) };
    expect((await apply('d', onlyFacts, [foreign('facts', ['open:a', 'k'], null)])).counts).toEqual([
      { verdict: 'refused_scope', count: 1 },
    ]);
  });

  it('lets it place holds that overlap, and release none that goes beyond', async () => {
    const e = replica('e');
    expect((await apply('e', within('open:'), [hold(HOLD, ['open:a', 'secret:'], { other: 1 })])).applied_count).toBe(
      1,
    );
    const release = hold(HOLD, ['open:a', 'secret:'], { other: 2 }, '2026-02-01T00:00:00.000Z');
    expect((await apply('e', within('open:'), [release])).counts).toEqual([{ verdict: 'refused_scope', count: 1 }]);
    const active = await e.ok<{ holds: { status: string }[] }>('GET', '/v1/legal-holds?tenant_id=e');
    expect(active.holds.map(({ status }) => status)).toEqual(['active']);
    expect((await apply('e', FULL_REACH, [release])).applied_count).toBe(1);
    const released = await e.ok<{ holds: { status: string }[] }>('GET', '/v1/legal-holds?tenant_id=e');
    expect(released.holds.map(({ status }) => status)).toEqual(['released']);
  });

  it('is no way around the scope of legal holds for who comes without a row', async () => {
    const m = replica('m');
    await m.ok('POST', '/v1/legal-holds', { tenant_id: 'm', reason: 'M', entity_prefixes: ['open:'] });
    const [{ id, vector, content }] = (await m.all('holds')) as [Item];
    const freed = { ...content!, released_at: '2026-02-01T00:00:00.000Z', released_by: 'passport:o' };
    const records = [foreign('holds', id, freed, { ...vector, other: 1 }), fact('open:a', 'taken')];
    const member = daemon.as({ tenant: 'm', scopes: 'facts:read facts:write' });
    const { body } = await member('POST', m.at('promotions/preview'), { records });
    expect(body.rows).toMatchObject([
      { verdict: 'refused_scope', reason: expect.stringContaining('admin:write') },
      { verdict: 'apply' },
    ]);
    const { confirm_hash } = body;
    const confirmed = await member('POST', m.at('promotions/confirm'), { records, confirm_hash });
    expect([confirmed.status, confirmed.body.applied_count]).toEqual([200, 1]);
    const { holds } = await m.ok<{ holds: { status: string }[] }>('GET', '/v1/legal-holds?tenant_id=m');
    expect(holds.map(({ status }) => status)).toEqual(['active']);
    expect((await m.take([records[0]!])).applied_count).toBe(1);
  });

  it.each([
    ['i', ['open:', 'secret:']],
    ['j', []],
  ])('cannot make a hold another one than was placed (tenant %s, prefixes %j)', async (tenant, prefixes) => {
    const i = replica(tenant);
    const body = { tenant_id: i.tenant, reason: 'M', entity_prefixes: prefixes };
    await i.ok('POST', '/v1/legal-holds', body);
    const [{ id, vector, content }] = (await i.all('holds')) as [Item];
    const releasedAt = '2026-02-01T00:00:00.000Z';
    const narrowed = { ...content!, entity_prefixes: ['open:'] };
    const freed = { ...narrowed, released_at: releasedAt, released_by: 'passport:o' };
    const next = (what: SyncContent, seq: number) => foreign('holds', id, what, { ...vector, other: seq });
    const forged = await apply(i.tenant, within('open:'), [next(narrowed, 1), next(freed, 2)]);
    expect(forged.counts).toEqual([{ verdict: 'refused_content', count: 2 }]);
    const listed = await i.ok<{ holds: object[] }>('GET', `/v1/legal-holds?tenant_id=${i.tenant}`);
    expect(listed.holds).toMatchObject([{ status: 'active', entity_prefixes: prefixes }]);
    expect((await i.all('holds')).map((one) => one.vector)).toEqual([vector]);
    const honest = { ...content!, released_at: releasedAt, released_by: 'passport:o' };
    expect((await apply(i.tenant, FULL_REACH, [next(honest, 3)])).applied_count).toBe(1);
  });
});

describe('content that a peer answered', () => {
  it('is taken as a request of it would be: of no text, name or depth that is none', async () => {
    const taken = (payload: unknown) =>
      daemon.app
        .get(SyncPromotionsService, { strict: false })
        .apply(BY, 'b', FULL_REACH, [foreign('entities', ['doc', 'x'], { kind: 'doc', id: 'x', payload })]);
    const nested = JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown;
    for (const payload of [nested, JSON.parse('{"__proto__":1}') as unknown, { a: 'x\0' }])
      expect((await taken(payload)).counts).toEqual([{ verdict: 'refused_content', count: 1 }]);
    expect((await taken({ a: [1] })).counts).toEqual([{ verdict: 'apply', count: 1 }]);
  });
});

describe('an answer', () => {
  const MIB = 1024 * 1024;
  type Part = { items: Item[]; missing: Item[]; next_cursor: string | null; next_item: number | null };

  it('has as many versions as fit, where many servers wrote each', async () => {
    const k = replica('k');
    const origins = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`${'o'.repeat(58)}${n}`, 1]));
    const wide = Array.from({ length: 600 }, (_, n) =>
      foreign('facts', [`user:w${n}`, 'k'], fact(`user:w${n}`, 'v').content!, { other: 1, ...origins }),
    );
    for (let from = 0; from < wide.length; from += 150) await k.take(wide.slice(from, from + 150));
    for (const withContent of [false, true]) {
      const page = await k.ok<Part>('GET', k.at(`collections/facts?limit=5000&include_content=${withContent}`));
      expect(JSON.stringify(page).length).toBeLessThan(12 * MIB);
      expect(page.next_cursor).not.toBeNull();
      const items = wide.map(({ id }) => ({ id, digests: [] }));
      const body = { items, include_content: withContent };
      const diff = await k.ok<Part>('POST', k.at('collections/facts/diff'), body);
      expect([diff.missing.length < 600, diff.next_item]).toEqual([true, expect.any(Number)]);
    }
    expect(await k.all('facts', 5000)).toHaveLength(600);
  });

  it('has as many conflicts as fit, each as a whole', async () => {
    const l = replica('l');
    for (let n = 0; n < 5; n += 1)
      for (let version = 0; version < 4; version += 1) {
        const { content } = fact(`user:l${n}`, String(version).repeat(MIB));
        await l.take([foreign('facts', [`user:l${n}`, 'k'], content!, { other: 1, [`o${version}`]: 1 })]);
      }
    type Conflicts = { conflicts: { versions: Item[] }[]; count: number; next_cursor: string | null };
    const counts: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const at: string = l.at(`conflicts?limit=50${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const page: Conflicts = await l.ok<Conflicts>('GET', at);
      expect(page.conflicts.map(({ versions }) => versions.length)).toEqual(page.conflicts.map(() => 4));
      counts.push(page.count);
      cursor = page.next_cursor;
    }
    expect(counts).toEqual([1, 1, 1, 1, 1]);
  });
});

describe('the routes', () => {
  it('refuse other tenants, cursors of other lists and collections that there are not', async () => {
    const f = replica('f');
    const as = daemon.as({ tenant: 'f', scopes: 'facts:read facts:write' });
    expect((await as('GET', '/v1/sync/tenants/g/manifest')).status).toBe(403);
    expect((await f.call('GET', f.at('collections/facts?cursor=abc'))).status).toBe(400);
    expect((await f.call('GET', f.at('collections/nothing'))).status).toBe(400);
    expect((await f.call('GET', f.at('collections/facts?limit=5001'))).status).toBe(400);
    expect((await f.call('GET', f.at('manifest?membership_epoch=-1'))).status).toBe(400);
    const scopes = ALL_SCOPES.split(' ')
      .filter((one) => !one.startsWith('facts'))
      .join(' ');
    expect(
      (await daemon.as({ tenant: 'f', scopes: scopes.replaceAll(/admin:\w+/g, '') })('GET', f.at('manifest'))).status,
    ).toBe(403);
  });

  it('say what differs from what the caller believes', async () => {
    const { differs } = await replica('f').manifest(
      '?membership_epoch=2&tenant_category=personal&owner_id=x&role_grants=read&role_grants=write',
    );
    expect(differs).toEqual(['owner_id', 'membership_epoch']);
  });
});
