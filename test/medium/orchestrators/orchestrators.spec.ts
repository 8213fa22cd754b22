import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser } from '../../kit/database.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_ORCHESTRATORS: '1' } });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const ROUTE = '/v1/orchestrators';
const make = async (name: string, more: object = {}, by: DaemonCall = call): Promise<any> => {
  const { status, body } = await by('POST', ROUTE, { name, ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.orchestrator;
};
const add = (id: string, member_type: string, ref: string, by: DaemonCall = call) =>
  by('POST', `${ROUTE}/${id}/members`, { member_type, ref });
const remove = (id: string, ref: string) => call('DELETE', `${ROUTE}/${id}/members/${encodeURIComponent(ref)}`);
const read = async (id: string) => (await call('GET', `${ROUTE}/${id}`)).body.orchestrator;
const patch = (id: string, body: object) => call('PATCH', `${ROUTE}/${id}`, body);

const eventsOf = async (id: string) =>
  (
    await daemon.database.query<{ kind: string; data: any }>(
      `select kind, data from outbox_event where subject = '${id}' order by transaction, position`,
    )
  ).map(({ kind, data }) => ({ kind, ...data }));
const receiptsOf = (id: string) =>
  daemon.database.query<{ kind: string; stream: string }>(
    `select kind, stream from receipt where subject = '${id}' order by seq`,
  );

/** Work items as they stand in the table: the board has tests of its own. */
const givenWork = (tenant: string, ...items: [id: string, state: string, assignee?: string, lease?: string][]) =>
  Promise.all(
    items.map(([id, state, assignee, lease]) =>
      asSuperuser(
        daemon.database,
        `insert into work_item (tenant_id, work_id, project_id, title, state, created_by, assignee_passport, lease_expires_at)
         values ('${tenant}', '${id}', 'p', 'title of ${id}', '${state}', 'x', ${assignee ? `'${assignee}'` : 'null'},
           ${lease ? `now() + interval '${lease}'` : 'null'})`,
      ),
    ),
  );

describe('an orchestrator', () => {
  it('is created, read and listed', async () => {
    const as = daemon.as({ scopes: ALL_SCOPES, passport: 'maker' });
    const made = await make('Release', { assignee_passport: 'lead', state: 'paused' }, as);
    expect(made).toMatchObject({
      ...{ name: 'Release', state: 'paused', tenant_id: 'default', created_by_passport: 'maker' },
      ...{ assignee_passport: 'lead', version: 1, members: [], member_count: 0 },
    });
    expect(await read(made.orchestrator_id)).toEqual(made);
    const { members: _members, ...summary } = made;
    const { body } = await call('GET', `${ROUTE}?assignee=lead&state=paused&tenant_id=default`);
    expect(body).toEqual({ orchestrators: [summary], count: 1, next_cursor: null });
    expect((await call('GET', `${ROUTE}?assignee=lead&state=done`)).body.count).toBe(0);
  });

  it('begins active, of nobody', async () => {
    expect(await make('Plain')).toMatchObject({ state: 'active', created_by_passport: null, assignee_passport: null });
  });

  it('is listed page by page, newest first, each once', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.push((await make(`Page ${i}`, { assignee_passport: 'pager' })).orchestrator_id);
    const seen: string[] = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await call('GET', `${ROUTE}?assignee=pager&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.orchestrators.map((one: any) => one.orchestrator_id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(made.reverse());
  });

  it('cannot be created in the name of another passport', async () => {
    const as = daemon.as({ scopes: ALL_SCOPES, passport: 'maker' });
    const { status, body } = await as('POST', ROUTE, { name: 'x', created_by_passport: 'other' });
    expect([status, body.code]).toEqual([403, 'PASSPORT_HEADER_MISMATCH']);
  });

  it.each([
    [{}, 'body.name'],
    [{ name: '' }, 'body.name'],
    [{ name: 'x', state: 'begun' }, 'body.state'],
    [{ name: 'x', assignee_passport: 'not a passport' }, 'body.assignee_passport'],
    [{ name: 'x', surprise: 1 }, 'body.surprise'],
  ])('is refused as %j, by the member', async (body, path) => {
    const answer = await call('POST', ROUTE, body);
    expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, path]);
  });

  it('that is not there is 404, whatever is asked of it', async () => {
    for (const id of ['nope', '0'.repeat(120), '%F0%9F%98%80']) {
      const answers = [
        await call('GET', `${ROUTE}/${id}`),
        await call('PATCH', `${ROUTE}/${id}`, { name: 'x' }),
        await call('POST', `${ROUTE}/${id}/members`, { ref: 'p' }),
        await call('DELETE', `${ROUTE}/${id}/members/p`),
        await call('GET', `${ROUTE}/${id}/work`),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        answers.map(() => [404, 'ORCHESTRATOR_UNKNOWN']),
      );
    }
  });
});

describe('a change', () => {
  it('takes what is given, leaves the rest, and counts as a version with event and receipt', async () => {
    const { orchestrator_id: id } = await make('Before', { assignee_passport: 'lead' });
    const { body } = await patch(id, { state: 'paused', assignee_passport: null, base_version: 1 });
    expect(body.orchestrator).toMatchObject({ name: 'Before', state: 'paused', assignee_passport: null, version: 2 });
    expect(await eventsOf(id)).toMatchObject([
      { kind: 'orchestrator.created', state: 'active', version: 1, actor: 'anonymous' },
      { kind: 'orchestrator.changed', from: 'active', state: 'paused', assigneePassport: null, version: 2 },
    ]);
    const stream = `orchestrators/${id}`;
    expect(await receiptsOf(id)).toEqual([
      { kind: 'orchestrator.created', stream },
      { kind: 'orchestrator.changed', stream },
    ]);
  });

  it('of nothing is none', async () => {
    const made = await make('Same');
    const { status, body } = await patch(made.orchestrator_id, { name: 'Same', state: 'active' });
    expect([status, body.orchestrator]).toEqual([200, made]);
    expect(await eventsOf(made.orchestrator_id)).toHaveLength(1);
  });

  it('meant for an earlier version is refused and names the present one', async () => {
    const { orchestrator_id: id } = await make('Contended');
    const both = await Promise.all([
      patch(id, { name: 'One', base_version: 1 }),
      patch(id, { name: 'Two', base_version: 1 }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ code: 'ORCHESTRATOR_CHANGED', version: 2 });
    expect((await read(id)).version).toBe(2);
  });

  it('of the state follows the table of moves', async () => {
    const { orchestrator_id: id } = await make('Moving');
    for (const state of ['paused', 'done', 'active', 'done']) expect((await patch(id, { state })).status).toBe(200);
    const refused = await patch(id, { state: 'paused' });
    expect([refused.status, refused.body.issues[0]]).toEqual([
      400,
      { path: 'body.state', message: 'cannot become paused from done; allowed: active, archived' },
    ]);
  });

  it('of an archived one is refused, of members too', async () => {
    const { orchestrator_id: id } = await make('Old');
    await add(id, 'passport', 'kept');
    expect((await patch(id, { state: 'archived' })).status).toBe(200);
    const before = await read(id);
    expect((await patch(id, { state: 'active' })).body.issues[0].message).toContain('allowed: none');
    for (const answer of [
      await patch(id, { name: 'New' }),
      await add(id, 'passport', 'late'),
      await remove(id, 'kept'),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'ORCHESTRATOR_ARCHIVED']);
    expect(await read(id)).toEqual(before);
  });
});

describe('members', () => {
  it('have a type and a ref; a passport is the default', async () => {
    const { orchestrator_id: id } = await make('Crew');
    await givenWork('default', ['crew-work', 'ready']);
    const { orchestrator_id: nested } = await make('Crew below');
    expect((await call('POST', `${ROUTE}/${id}/members`, { ref: 'codex:7' })).status).toBe(200);
    await add(id, 'work', 'crew-work');
    const { body } = await add(id, 'orchestrator', nested);
    expect(body.orchestrator).toMatchObject({ version: 4, member_count: 3 });
    expect(body.orchestrator.members.map(({ member_type, ref }: any) => [member_type, ref]).sort()).toEqual([
      ['orchestrator', nested],
      ['passport', 'codex:7'],
      ['work', 'crew-work'],
    ]);
    expect((await read(id)).members).toEqual(body.orchestrator.members);
    expect((await eventsOf(id)).map((event) => [event.kind, event.memberType, event.ref, event.version])).toEqual([
      ['orchestrator.created', undefined, undefined, 1],
      ['orchestrator.changed', 'passport', 'codex:7', 2],
      ['orchestrator.changed', 'work', 'crew-work', 3],
      ['orchestrator.changed', 'orchestrator', nested, 4],
    ]);
  });

  it('that are added again stay as they are, also at the same time', async () => {
    const { orchestrator_id: id } = await make('Twice');
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(id, 'passport', 'p')));
    for (const { status, body } of answers) expect([status, body.orchestrator.member_count]).toEqual([200, 1]);
    expect(await read(id)).toMatchObject({ version: 2, member_count: 1 });
    expect(await receiptsOf(id)).toHaveLength(2);
  });

  it('by one ref are of one type', async () => {
    const { orchestrator_id: id } = await make('One type');
    await givenWork('default', ['same-ref', 'ready']);
    await add(id, 'work', 'same-ref');
    const { status, body } = await add(id, 'passport', 'same-ref');
    expect([status, body.code, body.member_type]).toEqual([409, 'ORCHESTRATOR_MEMBER_KNOWN', 'work']);
  });

  it.each([
    ['work', 'nowhere', 'names no work item'],
    ['orchestrator', 'nowhere', 'names no orchestrator'],
    ['passport', 'not a passport', 'is no passport'],
    ['passport', '', 'must be longer'],
  ])('of type %s with the ref %j are refused', async (type, ref, message) => {
    const { orchestrator_id: id } = await make('Strict');
    const { status, body } = await add(id, type, ref);
    expect([status, body.issues[0]]).toEqual([400, { path: 'body.ref', message: expect.stringContaining(message) }]);
    expect((await add(id, 'team', 'x')).body.issues[0].path).toBe('body.member_type');
    expect((await read(id)).version).toBe(1);
  });

  it('are removed by their ref, once', async () => {
    const { orchestrator_id: id } = await make('Leaving');
    await add(id, 'passport', 'team:a.b-c_d');
    const { body } = await remove(id, 'team:a.b-c_d');
    expect(body.orchestrator).toMatchObject({ version: 3, members: [] });
    const again = await remove(id, 'team:a.b-c_d');
    expect([again.status, again.body.code]).toEqual([404, 'ORCHESTRATOR_MEMBER_UNKNOWN']);
    expect((await eventsOf(id)).at(-1)).toMatchObject({ change: 'member_removed', ref: 'team:a.b-c_d', version: 3 });
  });

  it('of one orchestrator are bounded, also where many come at the same time', async () => {
    const { orchestrator_id: id } = await make('Full');
    await daemon.database.query(
      `insert into orchestrator_member (tenant_id, orchestrator_id, ref, member_type, added_by)
       select 'default', '${id}', 'p' || n, 'passport', 'x' from generate_series(1, 992) n`,
    );
    const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => add(id, 'passport', `more-${n}`)));
    const codes = answers.map(({ body }) => body.code ?? 'added').sort();
    expect(codes).toEqual([...Array(24).fill('ORCHESTRATOR_FULL'), ...Array(8).fill('added')]);
    expect((await read(id)).member_count).toBe(1000);
  });
});

describe('nesting', () => {
  it('takes no cycle, of whatever length', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map(async (name) => (await make(name)).orchestrator_id as string));
    const [a, b, c] = ids as [string, string, string];
    expect([(await add(a, 'orchestrator', b)).status, (await add(b, 'orchestrator', c)).status]).toEqual([200, 200]);
    for (const [upper, lower] of [
      [a, a],
      [b, a],
      [c, a],
    ] as const) {
      const { status, body } = await add(upper, 'orchestrator', lower);
      expect([status, body.code]).toEqual([409, 'ORCHESTRATOR_CYCLE']);
    }
    expect((await add(a, 'orchestrator', c)).status).toBe(200);
  });

  it('takes no cycle of what is added at the same time', async () => {
    const SIZE = 6;
    const ring = await Promise.all(
      Array.from({ length: SIZE }, async (_, index) => (await make(`ring ${index}`)).orchestrator_id as string),
    );
    const answers = await Promise.all(ring.map((id, index) => add(id, 'orchestrator', ring[(index + 1) % SIZE]!)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(SIZE - 1).fill(200), 409]);
  });
});

describe('the work behind an orchestrator', () => {
  it('is that of its members and of all below, each item counted once', async () => {
    await givenWork(
      'default',
      ['w1', 'ready'],
      ['w2', 'in_review', 'doer'],
      ['w3', 'done', 'doer'],
      ['w4', 'in_progress', 'doer', '1 hour'],
      ['w5', 'in_progress', undefined, '-1 second'],
      ['w6', 'ready', 'somebody-else'],
    );
    const { orchestrator_id: top } = await make('Top');
    const { orchestrator_id: low } = await make('Low', { state: 'paused' });
    await add(top, 'orchestrator', low);
    await add(top, 'work', 'w1');
    await add(top, 'work', 'w2');
    await add(low, 'passport', 'doer');
    await add(low, 'work', 'w5');
    const { status, body } = await call('GET', `${ROUTE}/${top}/work`);
    expect([status, body.orchestrator_id, body.count, body.next_cursor]).toEqual([200, top, 5, null]);
    // w2 is a member, and assigned to a member; w5 is ready for everybody, as its lease has expired.
    expect(body.states).toEqual({ ready: 2, in_review: 1, done: 1, in_progress: 1 });
    const members = new Map(body.members.map((member: any) => [member.ref, member]));
    expect(members.get('w1')).toMatchObject({
      ...{ orchestrator_id: top, member_type: 'work', states: { ready: 1 }, orchestrator: null },
      work: {
        work_id: 'w1',
        project_id: 'p',
        title: 'title of w1',
        state: 'ready',
        assignee_passport: null,
        priority: 2,
      },
    });
    expect(members.get('w5')).toMatchObject({ orchestrator_id: low, work: { state: 'ready' }, states: { ready: 1 } });
    expect(members.get('doer')).toMatchObject({
      ...{ orchestrator_id: low, work: null, orchestrator: null },
      states: { in_review: 1, done: 1, in_progress: 1 },
    });
    expect(members.get(low)).toMatchObject({
      ...{ orchestrator_id: top, work: null, orchestrator: { name: 'Low', state: 'paused' } },
      states: { in_review: 1, done: 1, in_progress: 1, ready: 1 },
    });
  });

  it('is shown page by page, each member once', async () => {
    const { orchestrator_id: top } = await make('Paged');
    const { orchestrator_id: low } = await make('Paged below');
    await add(top, 'orchestrator', low);
    for (const ref of ['a', 'b', 'c']) await add(top, 'passport', ref);
    for (const ref of ['a', 'd']) await add(low, 'passport', ref);
    const seen: string[] = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await call('GET', `${ROUTE}/${top}/work?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(body.count).toBe(body.members.length);
      seen.push(...body.members.map((one: any) => `${one.orchestrator_id === top ? 'top' : 'low'} ${one.ref}`));
      cursor = body.next_cursor;
    }
    expect(seen.sort()).toEqual([`top ${low}`, 'top a', 'top b', 'top c', 'low a', 'low d'].sort());
    expect((await call('GET', `${ROUTE}/${top}/work?cursor=x`)).body.issues[0].path).toBe('query.cursor');
  });

  it('of one without members is none', async () => {
    const { orchestrator_id: id } = await make('Empty');
    expect((await call('GET', `${ROUTE}/${id}/work`)).body).toEqual({
      ...{ orchestrator_id: id, members: [], count: 0, states: {}, next_cursor: null },
    });
  });
});

describe('another tenant', () => {
  it('finds nothing, changes nothing, and cannot take in what is not its own', async () => {
    const foreign = daemon.as({ scopes: ALL_SCOPES, tenant: 'umbrella' });
    const own = await make('Own');
    await givenWork('default', ['own-work', 'ready', 'doer-of-both']);
    const { orchestrator_id: id } = own;
    await add(id, 'passport', 'p');
    const theirs = await make('Theirs', {}, foreign);
    const before = await read(id);
    for (const answer of [
      await foreign('GET', `${ROUTE}/${id}`),
      await foreign('PATCH', `${ROUTE}/${id}`, { name: 'Mine' }),
      await add(id, 'passport', 'q', foreign),
      await foreign('DELETE', `${ROUTE}/${id}/members/p`),
      await foreign('GET', `${ROUTE}/${id}/work`),
    ])
      expect(answer.status).toBe(404);
    expect((await foreign('GET', ROUTE)).body.orchestrators.map((one: any) => one.name)).toEqual(['Theirs']);
    expect((await add(theirs.orchestrator_id, 'orchestrator', id, foreign)).status).toBe(400);
    expect((await add(theirs.orchestrator_id, 'work', 'own-work', foreign)).status).toBe(400);
    await add(theirs.orchestrator_id, 'passport', 'doer-of-both', foreign);
    expect((await foreign('GET', `${ROUTE}/${theirs.orchestrator_id}/work`)).body.states).toEqual({});
    expect(await read(id)).toEqual(before);
  });

  it('is not entered by a credential that does not cover it', async () => {
    const bound = daemon.as({ scopes: 'facts:read facts:write', tenant: 'umbrella' });
    const answers = [
      await bound('GET', `${ROUTE}?tenant_id=default`),
      await bound('POST', ROUTE, { name: 'x', tenant_id: 'default' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });
});

describe('the flag and the scopes', () => {
  it('off, nothing is there, whatever SVCD_AGENTGRAPH says', async () => {
    const plain = await startDaemon({ database: daemon.database, env: { SVCD_AGENTGRAPH: '1' } });
    for (const path of [ROUTE, `${ROUTE}/x`, `${ROUTE}/x/work`]) {
      const { status, body } = await plain.call('GET', path);
      expect([status, body.code, body.flag]).toEqual([404, 'FLAG_OFF', 'SVCD_ORCHESTRATORS']);
    }
    await plain.close();
  });

  it.each([
    ['facts:read', 200, 403],
    ['admin:read', 200, 403],
    ['facts:write', 403, 200],
    ['admin:write', 403, 200],
    ['query:read', 403, 403],
  ])('%s alone reads %i and writes %i', async (scopes, reads, writes) => {
    const by = daemon.as({ scopes });
    expect([(await by('GET', ROUTE)).status, (await by('POST', ROUTE, { name: 'x' })).status]).toEqual([reads, writes]);
  });
});
