import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { fixtureIn, type Fixture } from './fixture.js';

interface Shown {
  fact_id: string;
  entity: string;
  value: string;
  version: number;
  superseded_by?: string;
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
}, 60_000);
afterAll(() => daemon.close());

const fixture = (): Fixture => fixtureIn(daemon);

const put = async (call: DaemonCall, entity: string, key: string, value: string, also: object = {}): Promise<Shown> => {
  const { status, body } = await call('PUT', '/v1/facts', { entity, key, value, ...also });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body as Shown;
};
const list = async (call: DaemonCall, query = '') => (await call('GET', `/v1/facts/list${query}`)).body;
const valuesOf = ({ facts }: { facts: Shown[] }) => facts.map(({ value }) => value);
const totalsOf = (page: { total_visible: number; total_nondeleted: number }) => [
  page.total_visible,
  page.total_nondeleted,
];

/** Every page of a list or export, and what each said of itself. */
async function walk(call: DaemonCall, path: string): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await call('GET', `${path}${cursor}`);
    expect(status).toBe(200);
    all.push(...(body.facts as Shown[]));
    expect(body.has_more).toBe(body.next_cursor !== null);
    if (!body.has_more) return all;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor as string)}`;
  }
}

describe('GET /v1/facts/list', () => {
  it('has what was stored at once in the order in which it was sent, and versions of one fact among it', async () => {
    const { ada } = fixture();
    const sent = Array.from({ length: 30 }, (_, n) => ({ entity: 'o', key: `k${n % 11}`, value: `v${n}` }));
    const { facts } = (await ada('PUT', '/v1/facts/bulk', sent)).body;
    expect(valuesOf({ facts })).toEqual(sent.map(({ value }) => value));
    expect(valuesOf(await list(ada, '?limit=100'))).toEqual(sent.map(({ value }) => value).reverse());
    expect(valuesOf((await ada('GET', '/v1/facts/export')).body)).toEqual(sent.map(({ value }) => value));
    expect(valuesOf((await ada('GET', '/v1/facts/entity/o')).body)).toEqual(
      sent
        .slice(-11)
        .map(({ value }) => value)
        .reverse(),
    );
  });

  it('shows records newest first, retired ones too unless they are left out', async () => {
    const { ada } = fixture();
    expect(await list(ada)).toEqual({
      facts: [],
      has_more: false,
      limit: 50,
      next_cursor: null,
      total_nondeleted: 0,
      total_visible: 0,
    });
    const first = await put(ada, 'a', 'k', '1');
    await put(ada, 'b', 'k', '2');
    const third = await put(ada, 'a', 'k', '3');
    const all = await list(ada);
    expect(valuesOf(all)).toEqual(['3', '2', '1']);
    expect(all.facts[2]).toEqual({ ...first, superseded_by: third.fact_id });
    expect(totalsOf(all)).toEqual([3, 3]);
    const current = await list(ada, '?include_superseded=0');
    expect(valuesOf(current)).toEqual(['3', '2']);
    expect(totalsOf(current)).toEqual([2, 2]);
  });

  it.each([
    '',
    '&include_superseded=0',
    '&include_reserved=1',
    '&entity_prefix=e',
    '&q=v',
    '&entity_prefix=e&include_superseded=0',
    `&as_of_unix_ms=${Date.UTC(2200)}`,
  ])('walks limit=1 pages%s without a gap or a double, each with the same totals', async (filter) => {
    const { ada, bob, admin } = fixture();
    for (let n = 0; n < 4; n++) {
      await put(ada, `e${n % 3}`, 'k', `v${n}`);
      await put(bob, `e${n}`, 'k', `v${n} of bob`, { private: true });
      await put(ada, `e${n}`, 'l', `v${n} of ada`, { private: n > 1 });
      await put(bob, '__e', `k${n}`, `v${n} reserved`);
    }
    for (const call of [ada, bob, admin]) {
      const whole = await list(call, `?limit=1000${filter}`);
      expect(await walk(call, `/v1/facts/list?limit=1${filter}`)).toEqual(whole.facts);
      expect(whole.facts).toHaveLength(whole.total_visible as number);
      expect(totalsOf(await list(call, `?limit=1${filter}`))).toEqual(totalsOf(whole));
    }
  });

  it('gives a census by two probes: what is stored, what is reserved, what is private to others', async () => {
    const { ada, bob, admin } = fixture();
    for (let n = 0; n < 5; n++) await put(ada, 'open', `k${n}`, 'v');
    await put(ada, 'open', 'k0', 'again');
    for (let n = 0; n < 3; n++) await put(ada, 'own', `k${n}`, 'v', { private: true });
    for (let n = 0; n < 2; n++) await put(bob, 'own', `k${n}`, 'v', { private: true });
    for (let n = 0; n < 4; n++) await put(ada, '__own', `k${n}`, 'v');
    const probe = async (call: DaemonCall, reserved: string) =>
      totalsOf(await list(call, `?limit=1&include_reserved=${reserved}`));
    expect([await probe(ada, '0'), await probe(ada, '1')]).toEqual([
      [9, 15],
      [13, 15],
    ]);
    expect([await probe(bob, '0'), await probe(bob, '1')]).toEqual([
      [8, 15],
      [8, 15],
    ]);
    expect([await probe(admin, '0'), await probe(admin, '1')]).toEqual([
      [11, 15],
      [15, 15],
    ]);
    const [gone] = (await list(ada, '?entity_prefix=own')).facts as Shown[];
    await ada('DELETE', `/v1/facts/${gone!.fact_id}`);
    expect([await probe(ada, '0'), await probe(bob, '1'), await probe(admin, '1')]).toEqual([
      [8, 14],
      [8, 14],
      [14, 14],
    ]);
  });

  it('filters by the beginning of the entity, whatever its script, and counts what matches', async () => {
    const { ada, bob } = fixture();
    const long = 'é'.repeat(300);
    for (const entity of ['user:1', 'user:2', 'user_3', 'User:1', 'use', '%', `${long}a`, `${long}b`, '\u{10ffff}x'])
      await put(ada, entity, 'k', entity);
    await put(ada, 'user:1', 'k', 'again');
    await put(bob, 'user:9', 'k', 'of bob', { private: true });
    const found = async (prefix: string, also = '') => {
      const page = await list(ada, `?entity_prefix=${encodeURIComponent(prefix)}${also}`);
      expect(page.total_visible).toBe(page.facts.length);
      expect(page.total_nondeleted).toBe(also === '' ? 11 : 10);
      return valuesOf(page);
    };
    expect(await found('user:')).toEqual(['again', 'user:2', 'user:1']);
    expect(await found('user:', '&include_superseded=0')).toEqual(['again', 'user:2']);
    expect(await found('%')).toEqual(['%']);
    expect(await found(long)).toEqual([`${long}b`, `${long}a`]);
    expect(await found(`${long}b`)).toEqual([`${long}b`]);
    expect(await found('\u{10ffff}')).toEqual(['\u{10ffff}x']);
    expect(await found('nobody')).toEqual([]);
  });

  it('searches entity, key and value for a text, whatever its case, and never reveals what the caller may not see', async () => {
    const { ada, bob } = fixture();
    await put(ada, 'Quokka', 'k', '1');
    await put(ada, 'e', 'quokka', '2');
    await put(ada, 'e', 'k', 'a QUOKKA 100%');
    await put(bob, 'e', 'p', 'a quokka of bob', { private: true });
    await put(ada, 'e', 'other', 'wombat');
    await put(ada, 'É', 'ß', 'ÄÖÜ');
    const page = await list(ada, '?q=quokka');
    expect(valuesOf(page)).toEqual(['a QUOKKA 100%', '2', '1']);
    expect(totalsOf(page)).toEqual([3, 6]);
    expect(valuesOf(await list(ada, '?q=quokka&entity_prefix=e'))).toEqual(['a QUOKKA 100%', '2']);
    expect(valuesOf(await list(ada, '?q=%25'))).toEqual(['a QUOKKA 100%']);
    expect(valuesOf(await list(ada, `?q=${encodeURIComponent('äöü')}`))).toEqual(['ÄÖÜ']);
  });

  it('rewinds to a time of ingest: what was stored, superseded and deleted since is as it was', async () => {
    const { ada, bob } = fixture();
    const before = Date.now() - 1;
    await put(ada, 'e', 'k', 'one');
    await put(ada, 'e', 'gone', 'deleted later');
    await put(bob, 'e', 'k', 'of bob', { private: true });
    await put(ada, '__e', 'k', 'reserved');
    await sleep(3);
    const noted = Date.now();
    await sleep(3);
    await put(ada, 'e', 'k', 'two');
    const [gone] = (await list(ada, '?q=deleted')).facts as Shown[];
    await ada('DELETE', `/v1/facts/${gone!.fact_id}`);
    await put(ada, 'e', 'gone', 'stored again');
    const then = await list(ada, `?as_of_unix_ms=${noted}`);
    expect(valuesOf(then)).toEqual(['deleted later', 'one']);
    expect(totalsOf(then)).toEqual([2, 4]);
    expect(then.facts.some((fact: Shown) => 'superseded_by' in fact)).toBe(false);
    expect(valuesOf(await list(ada, `?as_of_unix_ms=${noted}&include_superseded=0&include_reserved=1`))).toEqual([
      'reserved',
      'deleted later',
      'one',
    ]);
    expect(valuesOf(await list(ada, `?as_of_unix_ms=${noted}&entity_prefix=e&q=later`))).toEqual(['deleted later']);
    for (const [time, expected] of [
      [before, []],
      [-1, []],
      ['-9223372036854775808', []],
      [Date.now() + 1, ['stored again', 'two', 'one']],
      ['9223372036854775807', ['stored again', 'two', 'one']],
    ] as const)
      expect(valuesOf(await list(ada, `?as_of_unix_ms=${time}`))).toEqual(expected);
    expect(valuesOf(await list(ada))).toEqual(['stored again', 'two', 'one']);
    expect(totalsOf(await list(ada, '?include_superseded=0'))).toEqual([2, 4]);
  });

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=1001', 'query.limit'],
    ['limit=-1', 'query.limit'],
    ['limit=ten', 'query.limit'],
    ['limit=18446744073709551616', 'query.limit'],
    ['include_superseded=maybe', 'query.include_superseded'],
    ['include_reserved=2', 'query.include_reserved'],
    ['as_of_unix_ms=yesterday', 'query.as_of_unix_ms'],
    ['as_of_unix_ms=1.5', 'query.as_of_unix_ms'],
    ['as_of_unix_ms=99999999999999999999', 'query.as_of_unix_ms'],
    ['cursor=made-up', 'query.cursor'],
    [`cursor=${Buffer.from('[1e15,"x"]').toString('base64url')}`, 'query.cursor'],
    ['q=%00', 'query.q'],
    ['q=', 'query.q'],
    ['q=a&q=b', 'query.q'],
    [`q=${'x'.repeat(1025)}`, 'query.q'],
    [`entity_prefix=${'x'.repeat(513)}`, 'query.entity_prefix'],
    ['offset=3', 'query.offset'],
  ])('refuses %s', async (query, path) => {
    const { ada } = fixture();
    const { status, body } = await ada('GET', `/v1/facts/list?${query}`);
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
  });

  it('takes a cursor from beyond the years of the database', async () => {
    const { ada } = fixture();
    await put(ada, 'e', 'k', 'v');
    const cursor = (ms: number) => Buffer.from(JSON.stringify([ms, '9'])).toString('base64url');
    expect((await list(ada, `?cursor=${cursor(Number.MAX_SAFE_INTEGER)}`)).facts).toHaveLength(1);
    expect((await list(ada, `?cursor=${cursor(Number.MIN_SAFE_INTEGER)}`)).facts).toEqual([]);
  });
});

describe('GET /v1/facts/export', () => {
  it('gives everything the caller may see, oldest first, retired and reserved records too', async () => {
    const { ada, bob, admin } = fixture();
    await put(ada, 'e', 'k', '1');
    await put(ada, '__e', 'k', '2');
    await put(bob, 'e', 'k', '3', { private: true });
    await put(ada, 'e', 'k', '4');
    expect(await walk(ada, '/v1/facts/export?limit=1')).toEqual((await ada('GET', '/v1/facts/export')).body.facts);
    expect(valuesOf((await ada('GET', '/v1/facts/export')).body)).toEqual(['1', '2', '4']);
    expect(valuesOf((await bob('GET', '/v1/facts/export')).body)).toEqual(['1', '3', '4']);
    expect(valuesOf((await admin('GET', '/v1/facts/export')).body)).toEqual(['1', '2', '3', '4']);
    const { body } = await ada('GET', '/v1/facts/export');
    expect(body).toMatchObject({ has_more: false, next_cursor: null });
    await sleep(2);
    await put(ada, 'e', 'k', '5');
    expect(valuesOf((await ada('GET', `/v1/facts/export?since=${body.exported_at}`)).body)).toEqual(['5']);
    expect((await ada('GET', '/v1/facts/export?since=yesterday')).status).toBe(400);
  });

  it('misses nothing that is stored while its pages are read', async () => {
    const { ada, bob } = fixture();
    const writing = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; n < 40; n++) await put(bob, `e${writer}`, `k${n}`, `${writer}.${n}`);
      }),
    );
    const seen: string[] = [];
    let since = '2000-01-01T00:00:00Z';
    let done = false;
    void writing.finally(() => (done = true)).catch(() => undefined);
    for (let last = false; !last;) {
      last = done;
      for (let cursor = '', more = true; more;) {
        const { body } = await ada('GET', `/v1/facts/export?limit=7&since=${since}${cursor}`);
        seen.push(...valuesOf(body));
        more = body.has_more;
        cursor = `&cursor=${body.next_cursor}`;
        if (!more) since = body.exported_at;
      }
    }
    await writing;
    expect(new Set(seen).size).toBe(160);
  });
});

describe('GET /v1/facts/actors', () => {
  it('lists who stored public facts, who did so last first, with how many', async () => {
    const { ada, bob } = fixtureIn(daemon);
    const put = (call: DaemonCall, key: string, also: object = {}) =>
      call('PUT', '/v1/facts', { entity: 'e', key, value: 'v', ...also });
    await put(ada, '1');
    await put(bob, '1');
    await put(bob, '2', { private: true });
    await put(ada, '3', { actor: 'crawler' });
    const { fact_id } = (await put(ada, '1')).body;
    await ada('DELETE', `/v1/facts/${fact_id}`);
    const ask = async (query = '') => (await bob('GET', `/v1/facts/actors${query}`)).body;
    const last_stored_at = expect.stringMatching(/Z$/) as string;
    const actors = [
      { actor: 'ada', last_stored_at, count: 2 },
      { actor: 'crawler', actor_claimed: true, last_stored_at, count: 1 },
      { actor: 'bob', last_stored_at, count: 1 },
    ];
    expect(await ask()).toEqual({ actors, next_cursor: null });
    const first = await ask('?limit=2');
    expect(first.actors).toEqual(actors.slice(0, 2));
    expect(await ask(`?limit=2&cursor=${first.next_cursor}`)).toEqual({ actors: actors.slice(2), next_cursor: null });
  });
});
