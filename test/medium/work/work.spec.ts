import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaemonCall, TestDaemon } from '../../kit/daemon.js';
import { startDaemon } from '../../kit/daemon.js';
import { acting, force, leased, made, must, patch } from './given.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const issues = ({ body }: { body: any }): string[] => body.issues.map(({ path }: any) => path);

describe('a work item', () => {
  it('is created with what is said, and defaults for the rest', async () => {
    const item = await made(call);
    expect(item).toEqual({
      ...{ id: expect.any(String), work_id: item.id, tenant_id: 'default', project_id: 'web', title: 'A thing' },
      ...{ body: '', body_truncated: false, state: 'backlog', created_by_passport: 'ada', assignee_passport: null },
      ...{ linked_pr: null, linked_issue: null, blocker_reason: null, blocker_kind: null, priority: 2, labels: [] },
      ...{ open_blockers: 0, ready: false, lease: null, source: 'kanban', version: 1 },
      ...{ created_at: expect.any(String), updated_at: item.created_at },
    });
    const members = { body: 'All', state: 'ready', assignee_passport: 'bob', linked_pr: '7', linked_issue: 'x/y#8' };
    const full = await made(call, { ...members, priority: 0, labels: ['a', 'b', 'a'] });
    expect(full).toMatchObject({ ...members, priority: 0, labels: ['a', 'b'], ready: true });
    expect(await must(call('GET', `/v1/work/${full.id}`))).toEqual(full);
  });

  it.each(['project_id', 'title', 'created_by_passport'])('needs %s', async (member) => {
    const body = { project_id: 'web', title: 'A', created_by_passport: 'ada', [member]: undefined };
    const answer = await call('POST', '/v1/work', body);
    expect([answer.status, issues(answer)]).toEqual([400, [`body.${member}`]]);
  });

  it.each<[object, string]>([
    [{ state: 'nope' }, 'body.state'],
    [{ state: 'blocked' }, 'body.blocker_kind'],
    [{ blocker_kind: 'nope' }, 'body.blocker_kind'],
    [{ priority: 5 }, 'body.priority'],
    [{ labels: Array.from({ length: 21 }, String) }, 'body.labels'],
    [{ created_by_passport: 'no blanks' }, 'body.created_by_passport'],
    [{ title: '' }, 'body.title'],
    [{ nope: 1 }, 'body.nope'],
  ])('is refused with %j', async (members, path) => {
    const base = { project_id: 'web', title: 'A', created_by_passport: 'ada' };
    const answer = await call('POST', '/v1/work', { ...base, ...members });
    expect([answer.status, issues(answer)]).toEqual([400, [path]]);
  });

  it('that is none is 404, on every route', async () => {
    const routes: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { by_passport: 'ada', title: 'B' }],
      ['GET', '/comments'],
      ['POST', '/comments', { author_passport: 'ada', body: 'x' }],
      ['GET', '/transitions'],
      ['GET', '/blockers'],
      ['PUT', `/blockers/${UNKNOWN.replace('0', '1')}`],
      ['DELETE', `/blockers/${UNKNOWN.replace('0', '1')}`],
    ];
    for (const id of [UNKNOWN, 'nope', 'a%00b', '%F0%9F%A6%84'])
      for (const [method, rest, body] of routes) {
        const { status } = await call(method, `/v1/work/${id}${rest}`, body);
        expect([method, id, rest, status]).toEqual([method, id, rest, id.includes('%00') ? 400 : 404]);
      }
  });

  it('is written by the acting passport and no other', async () => {
    const bob = acting(daemon, 'bob');
    const item = await made(call);
    for (const answer of [
      await bob('POST', '/v1/work', { project_id: 'web', title: 'A', created_by_passport: 'ada' }),
      await bob('PATCH', `/v1/work/${item.id}`, { by_passport: 'ada', title: 'B' }),
      await bob('POST', `/v1/work/${item.id}/comments`, { author_passport: 'ada', body: 'x' }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'PASSPORT_HEADER_MISMATCH']);
    expect(await must(call('GET', `/v1/work/${item.id}`))).toEqual(item);
  });
});

describe('a change', () => {
  it('empties a member by null, and leaves what it does not name', async () => {
    const links = { linked_pr: '1', linked_issue: '2', assignee_passport: 'bob', blocker_reason: 'why' };
    const item = await made(call, links);
    for (const [index, member] of Object.keys(links).entries()) {
      const { work, applied, queued } = await must(patch(call, item.id, { [member]: null }));
      expect([applied, queued, work[member], work.version]).toEqual([[member], [], null, index + 2]);
    }
    const after = await must(call('GET', `/v1/work/${item.id}`));
    expect(after).toMatchObject({ title: item.title, linked_pr: null, blocker_reason: null });
    const blocked = await must(patch(call, item.id, { blocker_kind: 'needs_info', tenant_id: null }));
    expect(blocked.work).toMatchObject({ blocker_kind: 'needs_info', state: 'backlog' });
    const refused = await patch(call, item.id, { blocker_kind: 'nope' });
    expect([refused.status, issues(refused)]).toEqual([400, ['body.blocker_kind']]);
  });

  it('that changes nothing leaves the version; without by_passport it is refused', async () => {
    const item = await made(call, { labels: ['a'] });
    const same = await must(patch(call, item.id, { title: item.title, labels: ['a'], state: 'backlog' }));
    expect(same).toMatchObject({ applied: ['title', 'state', 'labels'], queued: [], work: { version: 1 } });
    expect((await must(patch(call, item.id, {}))).work).toEqual(item);
    const nobody = await call('PATCH', `/v1/work/${item.id}`, { title: 'B' });
    expect([nobody.status, issues(nobody)]).toEqual([400, ['body.by_passport']]);
  });

  it('of a version that is not the present one is 409, and one of many at once wins', async () => {
    const item = await made(call);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => patch(call, item.id, { title: `T${index}`, base_version: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    for (const { status, body } of answers) if (status === 409) expect(body).toMatchObject({ version: 2 });
  });

  it('follows the table of moves; another move is 400 and names those there are', async () => {
    const item = await made(call);
    const refused = await patch(call, item.id, { state: 'done', title: 'Not this either' });
    expect([refused.status, issues(refused)]).toEqual([400, ['body.state']]);
    expect(refused.body.detail).toContain('allowed from backlog: ready, in_progress, blocked, cancelled');
    expect(await must(call('GET', `/v1/work/${item.id}`))).toEqual(item);
    for (const state of ['ready', 'in_progress', 'in_review', 'done', 'ready', 'cancelled', 'backlog'])
      expect((await must(patch(call, item.id, { state }))).work.state).toBe(state);
  });

  it('to blocked needs a kind, which leaves with the state', async () => {
    const item = await made(call);
    const refused = await patch(call, item.id, { state: 'blocked', blocker_reason: 'x' });
    expect([refused.status, issues(refused)]).toEqual([400, ['body.blocker_kind']]);
    const said = { blocker_kind: 'needs_approval', blocker_reason: 'The budget' };
    expect((await must(patch(call, item.id, { state: 'blocked', ...said }))).work).toMatchObject(said);
    const emptied = await patch(call, item.id, { blocker_kind: null });
    expect([emptied.status, issues(emptied)]).toEqual([400, ['body.blocker_kind']]);
    const { work } = await must(patch(call, item.id, { state: 'ready' }));
    expect(work).toMatchObject({ state: 'ready', blocker_kind: null, blocker_reason: null });
  });
});

describe('the history', () => {
  it('has every move with who, when, why, and a receipt that verifies; comments in their order', async () => {
    const ada = acting(daemon, 'ada');
    const item = await made(ada);
    await must(patch(ada, item.id, { state: 'ready', why: 'Wanted soon' }));
    await must(patch(ada, item.id, { title: 'No move' }));
    await must(patch(ada, item.id, { state: 'cancelled' }));
    const { transitions, work_id } = await must(call('GET', `/v1/work/${item.id}/transitions`));
    expect(work_id).toBe(item.id);
    const common = { by_passport: 'ada', principal: 'passport:ada', fence: null, action_id: null };
    const made_ = { receipt_id: expect.any(String), at: expect.any(String) };
    expect(transitions).toEqual([
      { ...common, ...made_, version: 1, from: null, to: 'backlog', why: null },
      { ...common, ...made_, version: 2, from: 'backlog', to: 'ready', why: 'Wanted soon' },
      { ...common, ...made_, version: 4, from: 'ready', to: 'cancelled', why: null },
    ]);
    for (const { receipt_id } of transitions)
      expect(await must(call('GET', `/v1/receipts/${receipt_id}/verification?tenant_id=default`))).toMatchObject({
        signature_valid: true,
      });
    const said = [];
    for (const body of ['One', 'Two', 'Three'])
      said.push(await must(ada('POST', `/v1/work/${item.id}/comments`, { author_passport: 'ada', body })));
    const first = await must(call('GET', `/v1/work/${item.id}/comments?limit=2`));
    expect(first).toMatchObject({ comments: said.slice(0, 2), work_id: item.id, has_more: true });
    const next = await must(call('GET', `/v1/work/${item.id}/comments?limit=2&cursor=${first.next_cursor}`));
    expect(next).toEqual({ comments: [said[2]], work_id: item.id, has_more: false, next_cursor: null });
    const events = await daemon.database.query<{ kind: string }>(
      'select kind from outbox_event where subject = $1 order by position',
      [item.id],
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      'work.created',
      ...Array<string>(3).fill('work.changed'),
      ...Array<string>(3).fill('work.commented'),
    ]);
  });

  it('has the receipts of an item in a chain of their own', async () => {
    const item = await made(call);
    await must(patch(call, item.id, { title: 'B' }));
    const rows = await daemon.database.query<{ seq: string }>(
      'select seq from receipt where stream = $1 order by seq',
      [`work/${item.id}`],
    );
    expect(rows.map(({ seq }) => Number(seq))).toEqual([1, 2]);
  });
});

describe('the board', () => {
  const PROJECT = 'board';
  const list = (query: string) => must(call('GET', `/v1/work?project_id=${PROJECT}&${query}`));
  const titles = ({ work }: any) => work.map(({ title }: any) => title);

  beforeAll(async () => {
    const items: [string, object][] = [
      ['late', { priority: 4, state: 'ready', labels: ['ui'] }],
      ['urgent', { priority: 0, state: 'ready', assignee_passport: 'bob' }],
      ['first', { state: 'in_progress' }],
      ['second', { labels: ['ui', 'db'], body: 'x'.repeat(3000) }],
    ];
    for (const [title, members] of items) await made(call, { project_id: PROJECT, title, ...members });
  });

  it('comes by priority and age, in pages', async () => {
    const all = await list('');
    expect([titles(all), all.count, all.source, all.approvals, all.has_more]).toEqual([
      ['urgent', 'first', 'second', 'late'],
      4,
      'kanban',
      [],
      false,
    ]);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`limit=1${cursor}`);
      seen.push(...titles(page));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(['urgent', 'first', 'second', 'late']);
  });

  it('cuts long bodies, which the item has whole', async () => {
    const { work } = await list('label=db');
    expect([work[0].body.length, work[0].body_truncated]).toEqual([1000, true]);
    expect((await must(call('GET', `/v1/work/${work[0].id}`))).body).toHaveLength(3000);
  });

  it.each([
    ['state=ready', ['urgent', 'late']],
    ['state=in_progress', ['first']],
    ['state=done', []],
    ['assignee_passport=bob', ['urgent']],
    ['label=ui', ['second', 'late']],
    ['priority=0', ['urgent']],
    ['ready=true', ['urgent', 'late']],
    ['ready=false', ['first', 'second']],
    ['label=ui&state=ready', ['late']],
    ['orchestrator=none', []],
    ['tenant_id=default&source=kanban', ['urgent', 'first', 'second', 'late']],
  ])('filters by %s', async (query, expected) => {
    expect(titles(await list(query))).toEqual(expected);
  });

  it.each([
    ['state=nope', 'query.state'],
    ['source=nope', 'query.source'],
    ['priority=9', 'query.priority'],
    ['limit=0', 'query.limit'],
    ['cursor=nope', 'query.cursor'],
    ['nope=1', 'query.nope'],
  ])('refuses %s', async (query, path) => {
    const answer = await call('GET', `/v1/work?${query}`);
    expect([answer.status, issues(answer)]).toEqual([400, [path]]);
  });

  it('takes forged cursors without a failure', async () => {
    for (const key of [
      ['board', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'x'],
      ['board', -1, -1, ''],
      ['plans', 1, 1, 'x'],
    ])
      await must(call('GET', `/v1/work?cursor=${Buffer.from(JSON.stringify(key)).toString('base64url')}`));
    const other = Buffer.from(JSON.stringify(['x', 1, 1, 'x'])).toString('base64url');
    expect((await call('GET', `/v1/work?cursor=${other}`)).status).toBe(400);
  });

  it('shows what is behind an orchestrator: items, passports, and orchestrators below it', async () => {
    const { work } = await list('');
    const idOf = (title: string): string => work.find((item: any) => item.title === title).id;
    for (const [id, type, ref] of [
      ['o-1', 'work', idOf('late')],
      ['o-1', 'orchestrator', 'o-2'],
      ['o-2', 'passport', 'bob'],
    ])
      await force(
        daemon,
        `with o as (insert into orchestrator (tenant_id, orchestrator_id, name, created_by) values ('default', $1, 'x', 'x') on conflict do nothing)
         insert into orchestrator_member (tenant_id, orchestrator_id, member_type, ref, added_by) values ('default', $1, $2, $3, 'x')`,
        [id, type, ref],
      );
    expect(titles(await list('orchestrator=o-1'))).toEqual(['urgent', 'late']);
    expect(titles(await list('orchestrator=o-2'))).toEqual(['urgent']);
  });
});

describe('work under a lease that is over', () => {
  it('is ready for every reader at once, and comes back with a transition and a comment when it is changed', async () => {
    const item = await made(call, { project_id: 'leased', state: 'in_progress' });
    await leased(daemon, item.id, 'eve', -1);
    expect(await must(call('GET', `/v1/work/${item.id}`))).toMatchObject({ state: 'ready', ready: true, lease: null });
    const page = await must(call('GET', '/v1/work?project_id=leased&state=ready&ready=true'));
    expect(page.work.map(({ id }: any) => id)).toEqual([item.id]);
    expect((await must(call('GET', '/v1/work?project_id=leased&state=in_progress'))).count).toBe(0);
    const { work } = await must(patch(call, item.id, { state: 'backlog' }));
    expect(work).toMatchObject({ state: 'backlog', version: 3 });
    const { transitions } = await must(call('GET', `/v1/work/${item.id}/transitions`));
    expect(transitions.map(({ from, to }: any) => [from, to])).toEqual([
      [null, 'in_progress'],
      ['in_progress', 'ready'],
      ['ready', 'backlog'],
    ]);
    expect(transitions[1].why).toBe('expired');
    const { comments } = await must(call('GET', `/v1/work/${item.id}/comments`));
    expect(comments[0].body).toMatch(/^The lease \d+ of eve expired at \S+\.$/);
  });

  it('takes no write with its fence, nor with one of something else', async () => {
    const item = await made(call, { state: 'in_progress' });
    const other = await made(call, { state: 'in_progress' });
    const held = await leased(daemon, item.id, 'ada', 3600);
    const fence = { 'x-svc-fence': held };
    const { work } = await must(patch(call, item.id, { title: 'Under it' }, fence));
    expect(work.lease).toMatchObject({ fence: Number(held), holder_passport: 'ada' });
    const comment = { author_passport: 'ada', body: 'x' };
    await must(call('POST', `/v1/work/${item.id}/comments`, comment, fence));
    for (const answer of [
      await patch(call, other.id, { title: 'x' }, fence),
      await call('POST', `/v1/work/${other.id}/comments`, comment, fence),
      await call('PUT', `/v1/work/${other.id}/blockers/${item.id}`, undefined, fence),
      await call('DELETE', `/v1/work/${other.id}/blockers/${item.id}`, undefined, fence),
      await patch(call, item.id, { title: 'x' }, { 'x-svc-fence': '999999' }),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'FENCE_STALE']);
    expect((await patch(call, item.id, { title: 'x' }, { 'x-svc-fence': 'x' })).status).toBe(400);
    expect((await must(patch(call, item.id, { state: 'cancelled' }, fence))).work.lease).toBeNull();
    const after = await patch(call, item.id, { title: 'Too late' }, fence);
    expect([after.status, after.body.code]).toEqual([409, 'FENCE_STALE']);
    expect((await must(call('GET', `/v1/work/${item.id}`))).title).toBe('Under it');
  });
});
