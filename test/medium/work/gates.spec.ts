import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_OWNERS } from '../../../src/modules/coordination/work/gates/gates.rules.js';
import { GateSweep } from '../../../src/modules/coordination/work/gates/gate-sweep.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { acting, force, gated, made, must, patch } from './given.js';

let daemon: TestDaemon;
let call: DaemonCall;
let ada: DaemonCall;
let bob: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
  ada = acting(daemon, 'ada');
  bob = acting(daemon, 'bob');
});
afterAll(() => daemon.close());

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const read = (id: string) => must(call('GET', `/v1/work/${id}`));
const gateOf = (id: string) => must(call('GET', `/v1/work/gate/${id}/state`));
const decide = (by: DaemonCall, gate: string, decision = 'approve', body: object = {}) =>
  by('POST', `/v1/work/gate/${gate}/${decision}`, body);
const pendingOf = async (id: string, query = '') =>
  (await must(call('GET', `/v1/work/gate/pending?limit=200${query}`))).pending.filter(
    (gate: any) => gate.work_id === id,
  );
const setPolicy = (project_id: string, members: object) =>
  call('PUT', '/v1/work/gate/policy', { project_id, ...members });

describe('a move that needs an approval', () => {
  it('is queued: 200, the item as it was, and everything about it in the list of what waits', async () => {
    const item = await made(ada, { state: 'in_review', assignee_passport: 'ada' });
    const { work, applied, queued } = await must(patch(ada, item.id, { state: 'done', why: 'All tests pass' }));
    expect([work, applied]).toEqual([item, []]);
    expect(queued).toEqual([{ action_id: expect.any(String), from: 'in_review', to: 'done' }]);
    const [gate, ...others] = await pendingOf(item.id);
    expect([gate, others]).toEqual([
      {
        ...{ action_id: queued[0].action_id, work_id: item.id, project_id: 'web', item_version: 1 },
        ...{ before: { state: 'in_review' }, after: { state: 'done' }, why: 'All tests pass' },
        ...{ requested_by: 'ada', may_decide: ['*'] },
        ...{ requested_at: expect.any(String), expires_at: expect.any(String) },
      },
      [],
    ]);
    const days = (Date.parse(gate.expires_at) - Date.parse(gate.requested_at)) / 86_400_000;
    expect(days).toBe(7);
    expect(await pendingOf(item.id, '&by_passport=ada')).toEqual([gate]);
    expect(await pendingOf(item.id, '&by_passport=bob')).toEqual([]);
    const { approvals } = await must(call('GET', '/v1/work?state=in_review&limit=200'));
    expect(approvals).toContainEqual(gate);
  });

  it('is asked for once, however often it is sent', async () => {
    const { id, gate } = await gated(ada);
    const again = await must(patch(ada, id, { state: 'done' }));
    expect([again.queued[0].action_id, (await pendingOf(id)).length]).toEqual([gate, 1]);
  });

  it('waits while the other members of the change are applied, and is about the item after that', async () => {
    const item = await made(ada, { state: 'in_review', assignee_passport: 'ada' });
    const { work, applied, queued } = await must(patch(ada, item.id, { state: 'done', title: 'New', linked_pr: '1' }));
    expect(work).toMatchObject({ state: 'in_review', title: 'New', linked_pr: '1', version: 2 });
    expect(applied).toEqual(['title', 'linked_pr']);
    expect((await must(decide(bob, queued[0].action_id))).work_version).toBe(3);
    expect((await read(item.id)).state).toBe('done');
  });

  it('is not one of somebody else, nor another move', async () => {
    const item = await made(ada, { state: 'in_review', assignee_passport: 'ada' });
    expect((await must(bob('PATCH', `/v1/work/${item.id}`, { by_passport: 'bob', state: 'done' }))).queued).toEqual([]);
    const other = await made(ada, { state: 'in_review', assignee_passport: 'ada' });
    expect((await must(patch(ada, other.id, { state: 'in_progress' }))).work.state).toBe('in_progress');
  });

  it('is not passed by giving the item away, in the same change or before', async () => {
    const item = await made(ada, { state: 'in_progress', assignee_passport: 'ada' });
    await must(patch(ada, item.id, { state: 'in_review' }));
    const given = await must(patch(ada, item.id, { state: 'done', assignee_passport: null }));
    expect([given.applied, given.work.state]).toEqual([['assignee_passport'], 'in_review']);
    await must(patch(ada, item.id, { assignee_passport: 'carol' }));
    const later = await must(patch(ada, item.id, { state: 'done' }));
    expect([later.work.state, later.queued.length]).toEqual(['in_review', 1]);
  });

  it.each<[string, object[]]>([
    ['with the move to review', [{ state: 'in_review', assignee_passport: 'ghost' }]],
    ['to nobody, before', [{ assignee_passport: null }, { state: 'in_review' }]],
    [
      'out of review and back',
      [{ state: 'in_review' }, { state: 'in_progress', assignee_passport: 'ghost' }, { state: 'in_review' }],
    ],
    [
      'by way of what anybody may begin',
      [{ state: 'ready' }, { state: 'in_progress', assignee_passport: 'ghost' }, { state: 'in_review' }],
    ],
    [
      'by way of its end',
      [
        { state: 'cancelled' },
        { state: 'ready' },
        { state: 'in_progress', assignee_passport: 'ghost' },
        { state: 'in_review' },
      ],
    ],
  ])('is not passed by giving away what one holds: %s', async (_how, changes) => {
    const { id } = await made(call, { state: 'ready' });
    await must(ada('POST', `/v1/work/${id}/claim`, { by_passport: 'ada' }));
    for (const change of changes) expect((await must(patch(ada, id, change))).queued).toEqual([]);
    const { work, queued } = await must(patch(ada, id, { state: 'done' }));
    expect([work.state, queued]).toEqual(['in_review', [expect.objectContaining({ to: 'done' })]]);
    await must(decide(bob, queued[0].action_id));
    expect((await read(id)).state).toBe('done');
  });

  it('counts who had it between two moves, and nobody of before it was done', async () => {
    const { id } = await made(call, { state: 'in_progress' });
    for (const assignee_passport of ['ada', 'carol']) await must(patch(call, id, { assignee_passport }));
    await must(patch(call, id, { state: 'in_review' }));
    const { queued } = await must(patch(ada, id, { state: 'done' }));
    await must(decide(bob, queued[0].action_id));
    await must(patch(call, id, { state: 'ready', assignee_passport: 'carol' }));
    for (const state of ['in_progress', 'in_review']) await must(patch(call, id, { state, by_passport: 'carol' }));
    expect((await must(patch(ada, id, { state: 'done' }))).work.state).toBe('done');
  });

  it('is needed by everybody once more have had the item than are kept', async () => {
    const { id } = await made(ada, { state: 'in_review', assignee_passport: 'ada' });
    await force(
      daemon,
      `update work_item set owners = array(select 'owner-' || n from generate_series(1, ${MAX_OWNERS - 1}) n) where work_id = $1`,
      [id],
    );
    for (const assignee_passport of ['carol', 'dan']) await must(patch(ada, id, { assignee_passport }));
    const [row] = await force<{ kept: number }>(
      daemon,
      'select cardinality(owners) as kept from work_item where work_id = $1',
      [id],
    );
    expect(row!.kept).toBe(MAX_OWNERS);
    const { queued } = await must(bob('PATCH', `/v1/work/${id}`, { by_passport: 'bob', state: 'done' }));
    expect(queued).toHaveLength(1);
  });
});

describe('a decision', () => {
  it('to approve moves the item, with a receipt that names who approved', async () => {
    const { id, gate } = await gated(ada);
    const answer = await must(decide(bob, gate, 'approve', { reason: 'Looks right' }));
    expect(answer).toMatchObject({
      ...{ action_id: gate, work_id: id, status: 'approved', decided_by: 'bob', approver_passport: 'bob' },
      ...{ reason: 'Looks right', receipt_id: expect.any(String), decided_at: expect.any(String), work_version: 2 },
    });
    expect(await read(id)).toMatchObject({ state: 'done', version: 2 });
    expect(await pendingOf(id)).toEqual([]);
    expect(await gateOf(gate)).toEqual(answer);
    const { transitions } = await must(call('GET', `/v1/work/${id}/transitions`));
    expect(transitions.at(-1)).toMatchObject({ from: 'in_review', to: 'done', by_passport: 'ada', action_id: gate });
    expect(transitions.at(-1).principal).toBe('passport:bob');
    expect(await must(call('GET', `/v1/receipts/${answer.receipt_id}/verification?tenant_id=default`))).toMatchObject({
      signature_valid: true,
    });
    const [event] = await daemon.database.query<{ data: any }>(
      `select data from outbox_event where kind = 'gate.approved' and subject = $1`,
      [gate],
    );
    expect(event!.data).toMatchObject({
      approverPassport: 'bob',
      actor: 'passport:bob',
      from: 'in_review',
      to: 'done',
    });
  });

  it('to reject leaves the item as it is', async () => {
    const { id, gate } = await gated(ada);
    const answer = await must(decide(call, gate, 'reject', { approver_passport: 'carol', reason: 'No tests' }));
    expect(answer).toMatchObject({ status: 'rejected', decided_by: 'carol', reason: 'No tests', work_version: 1 });
    expect((await read(id)).state).toBe('in_review');
    expect(await pendingOf(id)).toEqual([]);
    expect((await must(patch(ada, id, { state: 'done' }))).queued[0].action_id).not.toBe(gate);
  });

  it('is never that of who asked, in whatever way', async () => {
    const asked: [string, () => Promise<{ id: string; gate: string }>][] = [
      ['with a header', () => gated(ada)],
      ['in a body', () => gated(call)],
    ];
    const ways: [string, DaemonCall, object][] = [
      ['by the header', ada, {}],
      ['by header and body', ada, { approver_passport: 'ada' }],
      ['by the header, as another in the body', ada, { approver_passport: 'bob' }],
      ['by the body', call, { approver_passport: 'ada' }],
      ['by no name at all', call, {}],
      ['as another in the header', bob, { approver_passport: 'ada' }],
    ];
    for (const [how, ask] of asked) {
      const { id, gate } = await ask();
      for (const [way, by, body] of ways)
        for (const decision of ['approve', 'reject'])
          expect([how, way, decision, (await decide(by, gate, decision, body)).status]).toEqual([
            how,
            way,
            decision,
            403,
          ]);
      expect(await read(id)).toMatchObject({ state: 'in_review', version: 1 });
      expect(await gateOf(gate)).toMatchObject({ status: 'pending', decided_by: null });
      await must(decide(bob, gate));
    }
  });

  it('is one, of twenty who approve and reject at once; the others are shown which', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, gate } = await gated(ada);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          decide(acting(daemon, `judge-${index}`), gate, index % 2 === 0 ? 'approve' : 'reject'),
        ),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      const { status, decided_by, decided_at } = winners[0]!.body;
      for (const { status: code, body } of answers.filter((answer) => answer !== winners[0]))
        expect([code, body.decision, body.decided_by, body.decided_at]).toEqual([409, status, decided_by, decided_at]);
      expect((await read(id)).state).toBe(status === 'approved' ? 'done' : 'in_review');
      const events = await daemon.database.query(
        `select kind from outbox_event where subject = $1 and kind <> 'gate.requested'`,
        [gate],
      );
      expect(events).toEqual([{ kind: `gate.${status}` }]);
    }
  });

  it('on what has changed since is 409, and the gate has lapsed', async () => {
    const { id, gate } = await gated(ada);
    await must(bob('PATCH', `/v1/work/${id}`, { by_passport: 'bob', title: 'Something else' }));
    expect(await pendingOf(id)).toEqual([]);
    expect(await gateOf(gate)).toMatchObject({ status: 'lapsed' });
    for (const decision of ['approve', 'reject']) {
      const refused = await decide(bob, gate, decision);
      expect([refused.status, refused.body.decision]).toEqual([409, 'lapsed']);
    }
    expect(await gateOf(gate)).toMatchObject({ status: 'lapsed', reason: 'The item has changed meanwhile' });
    expect((await read(id)).state).toBe('in_review');
  });

  it('after seven days is 409; for readers it has lapsed at once', async () => {
    const { id, gate } = await gated(ada);
    await force(daemon, `update work_gate set expires_at = now() - interval '1 second' where action_id = $1`, [gate]);
    expect(await pendingOf(id)).toEqual([]);
    const refused = await decide(bob, gate);
    expect([refused.status, refused.body.decision, refused.body.reason]).toEqual([
      409,
      'lapsed',
      'Nobody decided in time',
    ]);
    expect((await read(id)).state).toBe('in_review');
  });

  it('that nobody took is recorded as lapsed by the sweep, with receipt and event', async () => {
    const [late, changed, waiting] = [await gated(ada), await gated(ada), await gated(ada)];
    await force(daemon, `update work_gate set expires_at = now() - interval '1 second' where action_id = $1`, [
      late.gate,
    ]);
    await must(patch(ada, changed.id, { title: 'Other' }));
    await daemon.app.get(GateSweep).sweep();
    const rows = await daemon.database.query<{ action_id: string; status: string; decision_receipt: string | null }>(
      'select action_id, status, decision_receipt from work_gate where action_id = any($1)',
      [[late.gate, changed.gate, waiting.gate]],
    );
    const statusOf = (gate: string) => rows.find(({ action_id }) => action_id === gate);
    expect(statusOf(late.gate)).toMatchObject({ status: 'lapsed', decision_receipt: expect.any(String) });
    expect(statusOf(changed.gate)).toMatchObject({ status: 'lapsed', decision_receipt: expect.any(String) });
    expect(statusOf(waiting.gate)).toMatchObject({ status: 'pending', decision_receipt: null });
    const events = await daemon.database.query(
      `select from outbox_event where kind = 'gate.lapsed' and subject = any($1)`,
      [[late.gate, changed.gate]],
    );
    expect(events).toHaveLength(2);
  });

  it('on a gate that is none is 404', async () => {
    for (const id of [UNKNOWN, 'nope'])
      for (const decision of ['approve', 'reject', 'withdraw'])
        expect([id, decision, (await decide(bob, id, decision)).status]).toEqual([id, decision, 404]);
    expect((await call('GET', `/v1/work/gate/${UNKNOWN}/state`)).status).toBe(404);
  });

  it('can be taken from everybody by who asked, and by nobody else', async () => {
    const { id, gate } = await gated(ada);
    expect((await decide(bob, gate, 'withdraw')).status).toBe(403);
    expect((await decide(call, gate, 'withdraw')).status).toBe(403);
    expect(await must(decide(ada, gate, 'withdraw', { reason: 'Not yet' }))).toMatchObject({
      ...{ status: 'withdrawn', decided_by: 'ada', approver_passport: null, reason: 'Not yet' },
    });
    expect((await decide(bob, gate)).body).toMatchObject({ status: 409, decision: 'withdrawn' });
    expect((await read(id)).state).toBe('in_review');
  });
});

describe('the gate policy of a project', () => {
  it('names moves that need an approval, and who may decide', async () => {
    const project_id = 'strict';
    expect(await must(call('GET', `/v1/work/gate/policy?project_id=${project_id}`))).toEqual({
      ...{ project_id, moves: [], may_decide: null, version: 0, changed_by: null, changed_at: null },
    });
    const set = await must(setPolicy(project_id, { moves: ['*>blocked', 'backlog>ready'], may_decide: ['lead'] }));
    expect(set).toMatchObject({ moves: ['*>blocked', 'backlog>ready'], may_decide: ['lead'], version: 1 });
    const item = await made(ada, { project_id });
    const blocking = { state: 'blocked', blocker_kind: 'needs_info', blocker_reason: 'Which one?' };
    const { work, applied, queued } = await must(patch(ada, item.id, { ...blocking, title: 'New' }));
    expect([applied, work.state, work.blocker_kind]).toEqual([['title'], 'backlog', null]);
    expect((await decide(bob, queued[0].action_id)).status).toBe(403);
    expect((await decide(call, queued[0].action_id, 'approve', { approver_passport: 'bob' })).status).toBe(403);
    await must(decide(acting(daemon, 'lead'), queued[0].action_id));
    expect(await read(item.id)).toMatchObject(blocking);
    const free = await made(ada, { project_id: 'free' });
    expect((await must(patch(ada, free.id, { state: 'ready' }))).work.state).toBe('ready');
  });

  it('is set for the version that was looked at, by an operator alone, and with moves that there are', async () => {
    const project_id = 'versions';
    await must(setPolicy(project_id, { moves: [], base_version: 0 }));
    const stale = await setPolicy(project_id, { moves: ['*>done'], base_version: 0 });
    expect([stale.status, stale.body.version]).toEqual([409, 1]);
    const writer = daemon.as({ scopes: 'facts:write', passport: 'ada' });
    expect((await writer('PUT', '/v1/work/gate/policy', { project_id, moves: [] })).status).toBe(403);
    for (const [members, path] of [
      [{ moves: ['ready>done'] }, 'body.moves[0]'],
      [{ moves: ['*>done', 'x'] }, 'body.moves[1]'],
      [{ moves: [], may_decide: ['no blanks'] }, 'body.may_decide[0]'],
      [{}, 'body.moves'],
    ] as const) {
      const refused = await setPolicy(project_id, members);
      expect([refused.status, refused.body.issues[0].path]).toEqual([400, path]);
    }
  });

  it('of one project at once has each version once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => setPolicy('many', { moves: [] })));
    expect(answers.map(({ body }) => body.version).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

it('what waits comes in pages, oldest first', async () => {
  const all = (await must(call('GET', '/v1/work/gate/pending?limit=200'))).pending.map(
    ({ action_id }: any) => action_id,
  );
  expect(all.length).toBeGreaterThan(1);
  const seen: string[] = [];
  for (let cursor = ''; ;) {
    const page = await must(call('GET', `/v1/work/gate/pending?limit=1${cursor}`));
    expect(page.count).toBe(1);
    seen.push(page.pending[0].action_id);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(seen).toEqual(all);
});
