import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

const edge = (text: string) => {
  const [from, edge_kind, to] = text.split(' ') as [string, string, string];
  const [from_kind, from_id] = from.split('/');
  const [to_kind, to_id] = to.split('/');
  return { from_kind, from_id, edge_kind, to_kind, to_id };
};
const WROTE = edge('person/ada wrote note/g');

describe('an edge', () => {
  it('joins ids of any length that a document has, and says where it is too long', async () => {
    const long = { from_kind: 'document', from_id: 'd'.repeat(1100), edge_kind: 'e', to_kind: 'document' };
    expect((await daemon.call('PUT', '/v1/edges', { ...long, to_id: 'x'.repeat(1100) })).status).toBe(200);
    const { status, body } = await daemon.call('PUT', '/v1/edges', { ...long, to_id: '\u00e9'.repeat(1100) });
    expect([status, body.issues[0].path]).toEqual([400, 'body.to_id']);
    const random = Array.from({ length: 1100 }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join(
      '',
    );
    expect((await daemon.call('PUT', '/v1/edges', { ...long, from_id: random, to_id: random })).status).toBe(200);
    const listed = await daemon.call('GET', `/v1/edges?to_id=${encodeURIComponent(random)}&to_kind=document`);
    expect(listed.body.edges).toMatchObject([{ from_id: random }]);
  });

  it('is one by its five members: stored twice there is one, with the payload of the second', async () => {
    const first = await daemon.call('PUT', '/v1/edges', WROTE);
    expect([first.status, first.body]).toEqual([
      200,
      {
        edge: {
          ...WROTE,
          payload: null,
          version: 1,
          deleted: false,
          created_at: expect.any(String),
          updated_at: expect.any(String),
          updated_by: 'anonymous',
        },
      },
    ]);
    const second = await daemon.call('PUT', '/v1/edges', { ...WROTE, payload: { year: 1843 } });
    expect(second.body.edge).toMatchObject({
      version: 2,
      payload: { year: 1843 },
      created_at: first.body.edge.created_at,
    });
    expect((await daemon.call('GET', '/v1/edges?from_id=ada')).body).toMatchObject({
      count: 1,
      edges: [second.body.edge],
    });
  });

  it.each(['from_kind', 'from_id', 'edge_kind', 'to_kind', 'to_id'])('without %s is refused', async (member) => {
    const { [member as keyof typeof WROTE]: _, ...rest } = WROTE;
    for (const method of ['PUT', 'DELETE']) {
      const answer = await daemon.call(method, '/v1/edges', rest);
      expect([answer.status, answer.body.issues[0].path]).toEqual([400, `body.${member}`]);
    }
  });

  it('is deleted by a body, not by a query; once; and comes back when it is stored again', async () => {
    const loves = edge('person/ada loves idea/engine');
    await daemon.call('PUT', '/v1/edges', { ...loves, payload: 'much' });
    const query = new URLSearchParams(loves as Record<string, string>).toString();
    expect((await daemon.call('DELETE', `/v1/edges?${query}`)).status).toBe(400);
    expect((await daemon.call('DELETE', '/v1/edges', { ...loves, payload: 1 })).status).toBe(400);
    const answers = await Promise.all([1, 2, 3].map(() => daemon.call('DELETE', '/v1/edges', loves)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    const retired = answers.find(({ status }) => status === 200)!.body.edge;
    expect(retired).toMatchObject({ ...loves, deleted: true, version: 2, payload: 'much' });
    expect((await daemon.call('GET', '/v1/edges?edge_kind=loves')).body.count).toBe(0);
    expect((await daemon.call('GET', '/v1/edges?edge_kind=loves&include_deleted=1')).body.edges).toEqual([retired]);
    const back = (await daemon.call('PUT', '/v1/edges', loves)).body.edge;
    expect(back).toMatchObject({ deleted: false, version: 3, payload: null });
    const events = await daemon.database.query<{ kind: string; subject: string }>(
      `select kind, subject from outbox_event where kind like 'edge.%' and data->>'edge_kind' = 'loves' order by position`,
    );
    expect(events).toEqual(
      ['edge.stored', 'edge.deleted', 'edge.stored'].map((kind) => ({ kind, subject: 'person/ada loves idea/engine' })),
    );
  });

  it('may be a loop', async () => {
    const loop = edge('a/1 is a/1');
    expect((await daemon.call('PUT', '/v1/edges', loop)).status).toBe(200);
    expect((await daemon.call('GET', '/v1/edges?edge_kind=is')).body.edges[0]).toMatchObject(loop);
  });

  it('takes members of every length that is allowed, and those that cannot be compressed', async () => {
    // Three bytes a character: the largest keys that the indexes must hold.
    const random = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join('');
    const tenant = Array.from({ length: 120 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
    const call = daemon.as({ scopes: 'facts:read facts:write', tenant });
    const [from_kind, edge_kind, to_kind, from_id, to_id] = [64, 64, 64, 256, 256].map(random);
    const longest = { from_kind, from_id, edge_kind, to_kind, to_id };
    expect((await call('PUT', '/v1/edges', longest)).status).toBe(200);
    expect((await call('GET', `/v1/edges?to_id=${encodeURIComponent(to_id!)}`)).body.edges[0]).toMatchObject(longest);
  });

  it('stored by many at once is one, and counted once', async () => {
    const busy = edge('person/ada meets person/charles');
    const answers = await Promise.all(Array.from({ length: 16 }, () => daemon.call('PUT', '/v1/edges', busy)));
    expect(answers.map(({ body }) => body.edge.version as number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
    expect((await daemon.call('GET', '/v1/kinds/meets')).body.registration).toMatchObject({
      used_by: ['edge'],
      edge_count: 1,
    });
  });
});

describe('the list of edges', () => {
  const ALL = [
    'a/1 likes b/1',
    'a/1 likes b/2',
    'a/1 knows b/1',
    'a/2 likes b/1',
    'b/1 likes a/1',
    'b/1 knows c/1',
    'c/1 likes c/1',
  ];
  const text = (e: any) => `${e.from_kind}/${e.from_id} ${e.edge_kind} ${e.to_kind}/${e.to_id}`;
  let call: TestDaemon['call'];
  beforeAll(async () => {
    call = daemon.as({ scopes: 'admin:read admin:write', tenant: 'lists' });
    for (const one of ALL) await call('PUT', '/v1/edges', edge(one));
  });

  const MEMBERS = ['from_kind', 'from_id', 'edge_kind', 'to_kind', 'to_id'] as const;
  const subsets = Array.from({ length: 32 }, (_, bits) => MEMBERS.filter((_, i) => bits & (1 << i)));

  it.each(subsets.map((members) => [members.join('+') || 'nothing', members] as const))(
    'filtered by %s says what is there, in one order, page by page',
    async (_what, members) => {
      for (const one of ALL.slice(0, 4)) {
        const wanted = members.map((member) => [member, edge(one)[member]!] as const);
        const expected = ALL.filter((other) => wanted.every(([member, value]) => edge(other)[member] === value)).sort();
        const query = wanted.map((pair) => pair.join('=')).join('&');
        const found: string[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const { body }: any = await call('GET', `/v1/edges?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
          found.push(...body.edges.map(text));
          cursor = body.next_cursor;
        }
        expect(found).toEqual(expected);
      }
    },
  );

  it('of one tenant shows nothing of another', async () => {
    const other = daemon.as({ scopes: 'facts:read', tenant: 'elsewhere' });
    expect((await other('GET', '/v1/edges')).body).toEqual({ count: 0, edges: [], next_cursor: null });
  });
});

describe('the kinds', () => {
  it('register themselves with their first use, and say what is there of them', async () => {
    const call = daemon.as({ scopes: 'facts:read facts:write', tenant: 'kinds' });
    for (const id of ['1', '2', '3']) await call('PUT', `/v1/entities/person/${id}`, { payload: {} });
    await call('PUT', '/v1/entities/person/1', { payload: 'again' });
    await call('DELETE', '/v1/entities/person/2');
    await call('PUT', '/v1/edges', edge('person/1 person place/here'));
    await call('PUT', '/v1/edges', edge('person/1 in place/here'));
    await call('PUT', '/v1/edges', edge('person/3 in place/here'));
    await call('DELETE', '/v1/edges', edge('person/3 in place/here'));
    const { body } = await call('GET', '/v1/kinds');
    const at = expect.any(String);
    expect(body).toEqual({
      count: 3,
      kinds: [
        { kind: 'in', used_by: ['edge'], first_seen_at: at, entity_count: 0, edge_count: 1, payload_schema: null },
        {
          kind: 'person',
          used_by: ['entity', 'edge', 'endpoint'],
          first_seen_at: at,
          entity_count: 2,
          edge_count: 1,
          payload_schema: null,
        },
        {
          kind: 'place',
          used_by: ['endpoint'],
          first_seen_at: at,
          entity_count: 0,
          edge_count: 0,
          payload_schema: null,
        },
      ],
      next_cursor: null,
    });
    expect((await call('GET', '/v1/kinds/person')).body).toEqual({ registration: body.kinds[1] });
    const page = (await call('GET', '/v1/kinds?limit=2')).body;
    expect((await call('GET', `/v1/kinds?limit=2&cursor=${page.next_cursor}`)).body.kinds).toEqual([body.kinds[2]]);
    const unknown = await call('GET', '/v1/kinds/nothing');
    expect([unknown.status, unknown.body]).toMatchObject([404, { code: 'KIND_UNKNOWN', kind: 'nothing' }]);
  });

  it('are counted right by many writers at once', async () => {
    const call = daemon.as({ scopes: 'facts:read facts:write', tenant: 'crowd' });
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        await call('PUT', `/v1/entities/ant/${i}`, { payload: i });
        await call('PUT', '/v1/edges', edge(`ant/${i} follows ant/${(i + 1) % 40}`));
        if (i % 4 === 0) await call('DELETE', `/v1/entities/ant/${i}`);
      }),
    );
    expect((await call('GET', '/v1/kinds/ant')).body.registration.entity_count).toBe(30);
    expect((await call('GET', '/v1/kinds/follows')).body.registration.edge_count).toBe(40);
  });
});

describe('POST /v1/edges/neighbourhood', () => {
  const around = async (body: object) => (await daemon.call('POST', '/v1/edges/neighbourhood', body)).body;
  const shown = ({ nodes }: { nodes: { id: string; hop: number }[] }) => nodes.map(({ id, hop }) => `${id}${hop}`);

  it('goes breadth first in the directions and along the kinds that are asked for, and never beyond the limit', async () => {
    for (const text of ['p/a x p/b', 'p/b x p/c', 'p/c x p/d', 'p/d x p/e', 'p/z y p/a', 'p/a y q/a'])
      await daemon.call('PUT', '/v1/edges', edge(text));
    const gone = edge('p/a x p/gone');
    await daemon.call('PUT', '/v1/edges', gone);
    await daemon.call('DELETE', '/v1/edges', gone);
    const start = { kind: 'p', id: 'a' };
    const near = await around(start);
    expect([shown(near), near.truncated]).toEqual([['a0', 'b1', 'a1', 'z1'], false]);
    expect(near.edges).toHaveLength(3);
    expect(near.edges[0]).toMatchObject(edge('p/a x p/b'));
    expect(shown(await around({ ...start, direction: 'in', max_hops: 3 }))).toEqual(['a0', 'z1']);
    expect(shown(await around({ ...start, edge_kinds: ['x'], max_hops: 3 }))).toEqual(['a0', 'b1', 'c2', 'd3']);
    expect(shown(await around({ ...start, edge_kinds: [], direction: 'out' }))).toEqual(['a0', 'b1', 'a1']);
    const some = await around({ ...start, max_hops: 3, limit: 4 });
    expect([some.edges.length, some.truncated]).toEqual([4, true]);
    expect((await around({ ...start, max_hops: 3, limit: 5 })).truncated).toBe(false);
    expect(await around({ kind: 'p', id: 'nowhere' })).toEqual({
      nodes: [{ kind: 'p', id: 'nowhere', hop: 0 }],
      edges: [],
      truncated: false,
    });
  });
});
