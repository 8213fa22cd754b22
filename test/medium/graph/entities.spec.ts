import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

const put = (path: string, payload: unknown, as = daemon.call) => as('PUT', `/v1/entities/${path}`, { payload });
const events = (kind: string) =>
  daemon.database.query<{ subject: string; data: object }>(
    `select subject, data from outbox_event where kind = '${kind}' order by position`,
  );

describe('an entity', () => {
  it('is stored, read, changed, deleted and stored again; every one of these is a version', async () => {
    const stored = await put('person/ada', { born: 1815 });
    expect([stored.status, stored.body]).toEqual([
      200,
      {
        entity: {
          kind: 'person',
          id: 'ada',
          version: 1,
          payload: { born: 1815 },
          deleted: false,
          created_at: expect.any(String),
          updated_at: expect.any(String),
          updated_by: 'anonymous',
        },
      },
    ]);
    expect((await daemon.call('GET', '/v1/entities/person/ada')).body).toEqual(stored.body);
    await put('person/ada', { born: 1815, died: 1852 });
    const retired = (await daemon.call('DELETE', '/v1/entities/person/ada')).body.entity;
    expect(retired).toMatchObject({ version: 3, deleted: true, payload: { died: 1852 } });
    const gone = await daemon.call('GET', '/v1/entities/person/ada');
    expect([gone.status, gone.body]).toMatchObject([404, { code: 'ENTITY_UNKNOWN', deleted_version: 3 }]);
    expect((await daemon.call('DELETE', '/v1/entities/person/ada')).status).toBe(404);
    const again = (await put('person/ada', 'back')).body.entity;
    expect(again).toMatchObject({ version: 4, deleted: false, created_at: stored.body.entity.created_at });

    const history = (await daemon.call('GET', '/v1/entities/person/ada/history')).body;
    expect(history).toMatchObject({ count: 4, next_cursor: null });
    expect(history.versions.map((v: any) => [v.version, v.deleted, v.payload])).toEqual([
      [4, false, 'back'],
      [3, true, { born: 1815, died: 1852 }],
      [2, false, { born: 1815, died: 1852 }],
      [1, false, { born: 1815 }],
    ]);
    expect((await events('entity.stored')).filter(({ subject }) => subject === 'person/ada')).toHaveLength(3);
    expect(await events('entity.deleted')).toEqual([
      { subject: 'person/ada', data: { kind: 'person', id: 'ada', version: 3, actor: 'anonymous' } },
    ]);
  });

  it.each([
    ['an object', { b: 1, a: [{}, [], ''] }],
    ['a list', [1, null, 'x']],
    ['text', 'wörd \u2028 😀'],
    ['a number', -0.1],
    ['a flag', false],
    ['null', null],
  ])('holds any JSON value: %s', async (_what, payload) => {
    await put('value/one', payload);
    const { text, body } = await daemon.call('GET', '/v1/entities/value/one');
    expect(body.entity.payload).toEqual(payload);
    expect(text).toContain(JSON.stringify(payload));
  });

  it('is anything that a path can say', async () => {
    for (const [kind, id] of [
      ['a kind', 'an id'],
      ['Übung', 'https://example.org/a?b=c#d'],
      ['k'.repeat(64), '漢'.repeat(256)],
    ] as const) {
      const path = `/v1/entities/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
      expect((await daemon.call('PUT', path, { payload: 1 })).body.entity).toMatchObject({ kind, id });
      expect((await daemon.call('GET', path)).status).toBe(200);
    }
  });

  it.each([
    ['no payload', 'person/x', {}, 'body.payload'],
    ['another member', 'person/x', { payload: 1, note: 'x' }, 'body.note'],
    ['a payload of more than 256 KiB', 'person/x', { payload: 'x'.repeat(256 * 1024) }, 'body.payload'],
    ['a kind that is too long', `${'k'.repeat(65)}/x`, { payload: 1 }, 'path.kind'],
    ['an id that is too long', `k/${'i'.repeat(257)}`, { payload: 1 }, 'path.id'],
    ['text with NUL', 'person/x', { payload: ['a\0'] }, 'body.payload[0]'],
  ])('is refused with %s, by name', async (_what, path, body, member) => {
    const answer = await daemon.call('PUT', `/v1/entities/${path}`, body);
    expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, member]);
  });

  it('is changed from the version that was looked at, and from no other: 409 names the present one', async () => {
    const from = (base_version: number, payload: string) =>
      daemon.call('PUT', '/v1/entities/based/one', { payload, base_version });
    expect((await from(1, 'too early')).body).toMatchObject({ code: 'ENTITY_CHANGED', version: 0 });
    expect((await from(0, 'first')).body.entity).toMatchObject({ version: 1, payload: 'first' });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((payload) => from(1, payload)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const { body } = await from(1, 'too late');
    expect(body).toMatchObject({ status: 409, code: 'ENTITY_CHANGED', kind: 'based', id: 'one', version: 2 });
    expect((await daemon.call('GET', '/v1/entities/based/one/history')).body.count).toBe(2);
    expect((await events('entity.stored')).filter(({ subject }) => subject === 'based/one')).toHaveLength(2);
  });

  it('that nobody stored has no history', async () => {
    const { status, body } = await daemon.call('GET', '/v1/entities/person/nobody/history');
    expect([status, body]).toEqual([200, { count: 0, versions: [], next_cursor: null }]);
  });

  it('written by many at once has versions without gaps, each write its own', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => put('busy/one', i)));
    const versions = answers.map(({ body }) => body.entity.version as number);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
    const history = (await daemon.call('GET', '/v1/entities/busy/one/history?limit=200')).body.versions;
    for (const { body } of answers) {
      const { version, payload } = body.entity;
      expect(history.find((v: any) => v.version === version)).toMatchObject({ payload });
    }
  });

  it('is deleted once by concurrent requests', async () => {
    await put('busy/two', 1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => daemon.call('DELETE', '/v1/entities/busy/two')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
    const { body } = await daemon.call('GET', '/v1/kinds/busy');
    expect(body.registration.entity_count).toBe(1);
  });

  it('belongs to its tenant', async () => {
    const acme = daemon.as({ scopes: 'facts:read facts:write', tenant: 'acme' });
    const other = daemon.as({ scopes: 'facts:read facts:write', tenant: 'other' });
    await put('secret/plan', 'of acme', acme);
    expect((await other('GET', '/v1/entities/secret/plan')).status).toBe(404);
    expect((await put('secret/plan', 'of other', other)).body.entity.version).toBe(1);
    expect((await other('GET', '/v1/entities?kind=secret')).body.entities[0].payload).toBe('of other');
    expect((await other('GET', '/v1/kinds')).body.kinds.map(({ kind }: any) => kind)).toEqual(['secret']);
    expect((await acme('GET', '/v1/entities/secret/plan/history')).body.count).toBe(1);
  });
});

describe('the list of entities', () => {
  let call: DaemonCall;
  beforeAll(() => {
    call = daemon.as({ scopes: 'admin:read admin:write', tenant: 'walk' });
  });
  const walk = async (path: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await call('GET', `${path}${query}`);
      expect(body.count).toBe(body.entities.length);
      found.push(...body.entities.map(({ kind, id }: any) => `${kind}/${id}`));
      cursor = body.next_cursor;
    }
    return found;
  };

  it('is walked by kind and id, page by page, without those that are deleted unless they are asked for', async () => {
    for (const id of ['1', '10', '2', 'a', 'B']) for (const kind of ['x', 'y']) await put(`${kind}/${id}`, id, call);
    await call('DELETE', '/v1/entities/x/10');
    expect(await walk('/v1/entities?limit=2')).toEqual([
      'x/1',
      'x/2',
      'x/B',
      'x/a',
      'y/1',
      'y/10',
      'y/2',
      'y/B',
      'y/a',
    ]);
    expect(await walk('/v1/entities?limit=2&kind=x')).toEqual(['x/1', 'x/2', 'x/B', 'x/a']);
    expect(await walk('/v1/entities?limit=3&kind=x&include_deleted=1')).toEqual(['x/1', 'x/10', 'x/2', 'x/B', 'x/a']);
    expect((await call('GET', '/v1/entities?kind=none')).body).toEqual({ count: 0, entities: [], next_cursor: null });
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'cursor=x',
    'kind=',
    'include_deleted=maybe',
    'nothing=1',
    'kind=a&kind=b',
  ])('refuses ?%s', async (query) => {
    expect((await daemon.call('GET', `/v1/entities?${query}`)).status).toBe(400);
  });

  it('pages through a history as well', async () => {
    for (let n = 1; n <= 5; n += 1) await put('paged/one', n);
    const path = '/v1/entities/paged/one/history?limit=2';
    const first = (await daemon.call('GET', path)).body;
    const second = (await daemon.call('GET', `${path}&cursor=${first.next_cursor}`)).body;
    expect([first, second].flatMap(({ versions }) => versions.map((v: any) => v.version))).toEqual([5, 4, 3, 2]);
    const forged = Buffer.from('[9007199254740991]').toString('base64url');
    expect((await daemon.call('GET', `${path}&cursor=${forged}`)).status).toBe(200);
  });
});
