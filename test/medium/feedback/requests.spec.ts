import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { walk } from '../continuity/given.js';

const REQUESTS = '/v1/feedback/requests';
const NOWHERE = '00000000-0000-4000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
});
afterAll(() => api.close());

const submit = (members: object = {}, tenant = acme): Promise<Answer> =>
  tenant.call('POST', REQUESTS, { title: 'Export as PDF', body: 'For our auditors.', ...members });
const idOf = async (members: object = {}): Promise<string> => (await submit(members)).body.requestId;
const act = (id: string, action: string, body: object = {}, tenant = acme): Promise<Answer> =>
  tenant.call('POST', `${REQUESTS}/${id}/${action}`, body);
const review = (id: string, decision: string, tenant = acme): Promise<Answer> =>
  tenant.call('POST', `/v1/feedback/review/requests/${id}`, { decision, reason: `to ${decision}`, note: 'seen' });

/** Further principals of the tenant: each a key of its own. */
function principals(count: number): Promise<TestTenant['call'][]> {
  return TenantsStore.using({ ownerUrl: api.database.url }, async (store) => {
    const calls = [];
    for (let i = 0; i < count; i++) {
      const { key } = await store.createKey('acme');
      calls.push(caller(api.url, 'acme', key.apiKey));
    }
    return calls;
  });
}

describe('a request', () => {
  it('goes from open to shipped, and keeps who, when and why', async () => {
    const by = `key:${acme.keyId}`;
    const submitted = await submit({ category: 'integration', agentId: 'asker' });
    const change = { action: 'submit', from: null, to: 'open', principal: by, reason: null, note: null, at: TIME };
    const record = {
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      title: 'Export as PDF',
      body: 'For our auditors.',
      category: 'integration',
      agentId: 'asker',
      status: 'open',
      votes: 0,
      voted: false,
      submittedBy: by,
      submittedAt: TIME,
      updatedAt: TIME,
      operatorAnswer: null,
      history: [change],
    };
    expect([submitted.status, submitted.body]).toEqual([201, record]);
    const id = submitted.body.requestId;
    const acknowledged = { ...change, action: 'acknowledge', from: 'open', to: 'acknowledged', reason: 'planned' };
    const taken = await act(id, 'acknowledge', { reason: 'planned' });
    expect([taken.status, taken.body]).toEqual([
      200,
      { ...record, status: 'acknowledged', history: [change, acknowledged] },
    ]);
    const shipped = { ...change, action: 'ship', from: 'acknowledged', to: 'shipped' };
    const done = await act(id, 'ship');
    expect(done.body).toEqual({ ...record, status: 'shipped', history: [change, acknowledged, shipped] });
    const { body } = await acme.call('GET', `${REQUESTS}?agentId=asker`);
    expect(body).toEqual({ requests: [done.body], next_cursor: null });
    const events = await api.database.query<{ kind: string }>(
      'select kind from outbox_event where subject = $1 order by transaction, position',
      [id],
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      'feedback.request_submitted',
      'feedback.request_acknowledged',
      'feedback.request_shipped',
    ]);
  });

  it('is put away and brought back by a review', async () => {
    const id = await idOf();
    await act(id, 'archive', { reason: 'not now' });
    const { status, body } = await review(id, 'reopen');
    expect([status, body.status, body.history.at(-1)]).toEqual([
      200,
      'open',
      {
        action: 'reopen',
        from: 'archived',
        to: 'open',
        principal: `key:${acme.keyId}`,
        reason: 'to reopen',
        note: 'seen',
        at: TIME,
      },
    ]);
    expect([(await review(id, 'accept')).body.status, (await review(id, 'decline')).body.status]).toEqual([
      'acknowledged',
      'archived',
    ]);
  });

  it('refuses every other way, and names what is allowed', async () => {
    const wrong = async (id: string, actions: string[]) => {
      const seen = [];
      for (const action of actions) {
        const isReview = ['accept', 'decline', 'reopen'].includes(action);
        const { status, body } = isReview ? await review(id, action) : await act(id, action);
        seen.push([status, body.type, body.status, body.current, body.allowed]);
      }
      return seen;
    };
    const refusal = (current: string, allowed: string[]) => [409, 'TransitionNotAllowed', 409, current, allowed];
    const id = await idOf();
    const open = refusal('open', ['acknowledge', 'archive', 'accept', 'decline', 'vote']);
    expect(await wrong(id, ['ship', 'reopen'])).toEqual([open, open]);
    await act(id, 'acknowledge');
    const taken = refusal('acknowledged', ['ship', 'archive', 'decline', 'vote']);
    expect(await wrong(id, ['acknowledge', 'accept', 'reopen'])).toEqual([taken, taken, taken]);
    await act(id, 'archive');
    const away = refusal('archived', ['reopen']);
    const fromAway = ['acknowledge', 'ship', 'archive', 'accept', 'decline', 'vote'];
    expect(await wrong(id, fromAway)).toEqual(fromAway.map(() => away));
    await review(id, 'reopen');
    await act(id, 'acknowledge');
    await act(id, 'ship');
    const all = [...fromAway, 'reopen'];
    expect(await wrong(id, all)).toEqual(all.map(() => refusal('shipped', [])));
  });

  it('moves once when two move it at once', async () => {
    const id = await idOf();
    const answers = await Promise.all(
      [...Array(4).fill('acknowledge'), ...Array(4).fill('archive')].map((action) => act(id, action)),
    );
    const moves = answers.filter(({ status }) => status === 200).map(({ body }) => body.status);
    // Archiving is allowed after acknowledging, not the other way round.
    expect([['archived'], ['acknowledged', 'archived']]).toContainEqual(moves.sort());
    const { body } = await acme.call('GET', `${REQUESTS}?limit=1`);
    expect(body.requests[0].history).toHaveLength(1 + moves.length);
  });
});

describe('a vote', () => {
  it('counts once for each of 50 at once, voting twice each', async () => {
    const id = await idOf();
    const voters = await principals(50);
    const vote = (call: TestTenant['call'], body?: object) => call('POST', `${REQUESTS}/${id}/vote`, body);
    const answers = await Promise.all([...voters, ...voters].map((call) => vote(call)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.filter(({ body }) => body.changed)).toHaveLength(50);
    expect(answers.every(({ body }) => body.voted)).toBe(true);
    const withdrawn = await Promise.all(voters.slice(0, 20).map((call) => vote(call, { withdraw: true })));
    expect(withdrawn.filter(({ body }) => body.changed && !body.voted)).toHaveLength(20);
    const again = await vote(voters[0]!, { withdraw: true });
    expect(again.body).toEqual({ requestId: id, votes: 30, voted: false, changed: false });
    expect((await vote(voters[0]!)).body).toEqual({ requestId: id, votes: 31, voted: true, changed: true });
    const rows = await api.database.query(
      'select votes, (select count(*)::int from feedback_vote v where v.request_id = r.request_id and withdrawn_at is null) as counted from feedback_request r where request_id = $1',
      [id],
    );
    expect(rows).toEqual([{ votes: 31, counted: 31 }]);
    const seen = await voters[0]!('GET', `${REQUESTS}?order=votes&limit=1`);
    expect([seen.body.requests[0].requestId, seen.body.requests[0].voted]).toEqual([id, true]);
    expect((await acme.call('GET', `${REQUESTS}?order=votes&limit=1`)).body.requests[0].voted).toBe(false);
    const events = await api.database.query(
      `select count(*)::int as events from outbox_event where kind = 'feedback.request_voted' and subject = $1`,
      [id],
    );
    expect(events).toEqual([{ events: 71 }]);
  });
});

describe('the list', () => {
  it('is walked once in both orders, and filtered', async () => {
    const third = await api.addTenant('third');
    const ids = [];
    for (let i = 0; i < 9; i++) {
      const { body } = await submit({ title: `Wish ${i} of 100%_`, category: i % 2 ? 'bug' : 'feature' }, third);
      ids.push(body.requestId as string);
      if (i % 3 === 0) await act(body.requestId, 'vote', {}, third);
    }
    const newest = await walk(third, REQUESTS, 'requests', 4);
    expect(newest.map(({ requestId }) => requestId)).toEqual([...ids].reverse());
    const byVotes = await walk(third, `${REQUESTS}?order=votes`, 'requests', 2);
    expect(byVotes.map(({ votes }) => votes)).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect(new Set(byVotes.map(({ requestId }) => requestId))).toEqual(new Set(ids));
    await act(ids[0]!, 'acknowledge', {}, third);
    const count = async (query: string) => (await third.call('GET', `${REQUESTS}?${query}`)).body.requests.length;
    expect(await count('status=acknowledged')).toBe(1);
    expect(await count('category=bug')).toBe(4);
    expect(await count(`q=${encodeURIComponent('wISH 3')}`)).toBe(1);
    expect(await count(`q=${encodeURIComponent('100%_')}`)).toBe(9);
    expect(await count(`q=${encodeURIComponent('1%0')}`)).toBe(0);
    expect(await count('mine=true')).toBe(9);
    expect(await count('agentId=nobody')).toBe(0);
  });

  it('shows nothing of another tenant, and lets it do nothing', async () => {
    const id = await idOf();
    expect((await other.call('GET', REQUESTS)).body).toEqual({ requests: [], next_cursor: null });
    for (const action of ['vote', 'acknowledge', 'archive', 'ship']) {
      const { status, body } = await act(id, action, {}, other);
      expect([action, status, body.type, body.requestId]).toEqual([action, 404, 'FeedbackRequestUnknown', id]);
    }
    expect((await review(id, 'accept', other)).status).toBe(404);
    expect((await act(NOWHERE, 'vote')).status).toBe(404);
  });

  it.each<[object, string]>([
    [{ title: 'ab' }, 'body.title'],
    [{ title: 'x'.repeat(201) }, 'body.title'],
    [{ body: '' }, 'body.body'],
    [{ category: 'wish' }, 'body.category'],
    [{ agentId: '' }, 'body.agentId'],
    [{ votes: 9 }, 'body.votes'],
  ])('takes no request with %j', async (members, path) => {
    const { status, body } = await submit(members);
    expect([status, body.issues[0].path]).toEqual([400, path]);
  });

  it('asks for a reason in a review, and for ids and cursors that can be', async () => {
    const id = await idOf();
    const { status, body } = await acme.call('POST', `/v1/feedback/review/requests/${id}`, { decision: 'accept' });
    expect([status, body.issues[0].path]).toEqual([400, 'body.reason']);
    expect((await act('no-uuid', 'vote')).body.issues[0].path).toBe('path.id');
    const cursor = Buffer.from('[1,"x"]').toString('base64url');
    expect((await acme.call('GET', `${REQUESTS}?cursor=${cursor}`)).body.issues[0].path).toBe('query.cursor');
    const beyond = Buffer.from(JSON.stringify([Number.MAX_SAFE_INTEGER, NOWHERE])).toString('base64url');
    expect((await acme.call('GET', `${REQUESTS}?order=votes&cursor=${beyond}`)).status).toBe(200);
  });
});
