import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser, makeItems, runOut } from './work-items.js';

let daemon: TestDaemon;
let ada: DaemonCall;
let bo: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['default', 'other'] });
  ada = daemon.as({ scopes: 'facts:write', passport: 'ada' });
  bo = daemon.as({ scopes: 'facts:write', passport: 'bo' });
});
afterAll(() => daemon.close());

let project = '';
let count = 0;
beforeEach(() => {
  count += 1;
  project = `p${count}`;
});

const make = (n: number, more: Parameters<typeof makeItems>[3] = {}) => makeItems(daemon.database, project, n, more);
const claimNext = async (call: DaemonCall, body: object = {}) =>
  (await call('POST', '/v1/work/claim-next', { project_id: project, ...body })).body;

describe('POST /v1/work/claim-next', () => {
  it('gives the most urgent item, then the oldest, and null when nothing is ready', async () => {
    const [first, second] = await make(2);
    const [urgent] = await make(1, { priority: 0 });
    const claims = [await claimNext(ada), await claimNext(bo), await claimNext(ada), await claimNext(bo)];
    expect(claims.map(({ work }) => work?.work_id ?? null)).toEqual([urgent, first, second, null]);
    expect(claims.map(({ lease }) => lease?.holder_passport ?? null)).toEqual(['ada', 'bo', 'ada', null]);
    const fences = claims.slice(0, 3).map(({ lease }) => lease.fence as number);
    expect(fences).toEqual(fences.toSorted((a, b) => a - b));
    expect(claims[0].work).toMatchObject({ state: 'in_progress', version: 2 });
  });

  it('says how long, and when to renew', async () => {
    await make(1);
    const { lease } = await claimNext(ada, { ttl_secs: 300 });
    expect(Date.parse(lease.expires_at) - Date.parse(lease.renew_before)).toBe(100_000);
  });

  it('passes over what is blocked, lacks a label, or is assigned to another', async () => {
    const [blocked, labelled, assigned] = await make(3);
    await asSuperuser(daemon.database, 'update work_item set open_blockers = 1 where work_id = $1', [blocked]);
    await asSuperuser(daemon.database, `update work_item set labels = '{api,ui}' where work_id = $1`, [labelled]);
    await asSuperuser(daemon.database, `update work_item set assignee_passport = 'ada' where work_id = $1`, [assigned]);
    expect((await claimNext(bo, { labels: ['api', 'db'] })).work).toBeNull();
    expect((await claimNext(bo, { labels: ['ui'] })).work.work_id).toBe(labelled);
    expect((await claimNext(bo)).work).toBeNull();
    expect((await claimNext(ada)).work.work_id).toBe(assigned);
  });

  it('takes an item over whose lease has expired, before any sweep, under a higher fence', async () => {
    await make(1);
    const { lease, work } = await claimNext(ada);
    await runOut(daemon.database, lease.fence);
    const next = await claimNext(bo);
    expect(next.work.work_id).toBe(work.work_id);
    expect(next.lease.fence).toBeGreaterThan(lease.fence);
    const moves = await daemon.database.query<Record<string, unknown>>(
      `select from_state, to_state, assignee_passport, fence, version from work_transition where work_id = $1 order by version`,
      [work.work_id],
    );
    expect(moves.map((move) => [move['from_state'], move['to_state'], move['assignee_passport']])).toEqual([
      ['ready', 'in_progress', 'ada'],
      ['in_progress', 'ready', null],
      ['ready', 'in_progress', 'bo'],
    ]);
    const ended = await daemon.database.query(
      'select status, receipt_acquire is not null as receipted from lease where fence = $1',
      [lease.fence],
    );
    expect(ended).toEqual([{ status: 'expired', receipted: true }]);
  });

  it('is refused without a passport, and with one that is not the acting one', async () => {
    const nobody = daemon.as({ scopes: 'facts:write' });
    const answer = await nobody('POST', '/v1/work/claim-next', {});
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('body.by_passport')]);
    expect((await ada('POST', '/v1/work/claim-next', { by_passport: 'bo' })).status).toBe(403);
    expect((await ada('POST', '/v1/work/claim-next', { ttl_secs: 0 })).status).toBe(400);
    expect((await ada('POST', '/v1/work/claim-next', { ttl_secs: 86_401 })).status).toBe(400);
  });
});

describe('POST /v1/work/{id}/claim', () => {
  it('of what another holds is 409 with the holder and until when', async () => {
    const [item] = await make(1);
    const { lease } = (await ada('POST', `/v1/work/${item}/claim`, {})).body;
    const { status, body } = await bo('POST', `/v1/work/${item}/claim`, {});
    expect([status, body]).toMatchObject([
      409,
      { code: 'WORK_HELD', holder_passport: 'ada', expires_at: lease.expires_at, fence: lease.fence },
    ]);
  });

  it('of what one holds oneself keeps the fence and gives more time', async () => {
    const [item] = await make(1);
    const first = (await ada('POST', `/v1/work/${item}/claim`, { ttl_secs: 60 })).body;
    const again = (await ada('POST', `/v1/work/${item}/claim`, { ttl_secs: 600 })).body;
    expect([again.reentrant, again.lease.fence]).toEqual([true, first.lease.fence]);
    expect(Date.parse(again.lease.expires_at)).toBeGreaterThan(Date.parse(first.lease.expires_at) + 500_000);
  });

  it.each([
    ['done', 'It is done'],
    ['cancelled', 'It is cancelled'],
    ['in_review', 'It is in_review'],
    ['backlog', 'backlog'],
  ])('of what is %s is 409 and says so', async (state, why) => {
    const [item] = await make(1, { state });
    const { status, body } = await ada('POST', `/v1/work/${item}/claim`, {});
    expect([status, body.code, body.state]).toEqual([409, 'WORK_NOT_CLAIMABLE', state]);
    expect(body.detail).toContain(why);
  });

  it('of what there is not is 404, also of another tenant’s', async () => {
    const [foreign] = await make(1, { tenant: 'other' });
    expect((await ada('POST', `/v1/work/${foreign}/claim`, {})).status).toBe(404);
    expect((await ada('POST', '/v1/work/no-such/claim', {})).status).toBe(404);
    expect((await claimNext(ada)).work).toBeNull();
  });
});

describe('renewal and release', () => {
  it('renews by the fence, in the body or the header, and says until when', async () => {
    const [item] = await make(1);
    const { lease } = await claimNext(ada, { ttl_secs: 60 });
    const inBody = await ada('POST', `/v1/work/${item}/renew`, { fence: lease.fence, ttl_secs: 600 });
    expect([inBody.status, inBody.body.lease.fence]).toEqual([200, lease.fence]);
    const inHeader = await ada('POST', `/v1/work/${item}/renew`, {}, { 'x-svc-fence': String(lease.fence) });
    expect(Date.parse(inHeader.body.lease.expires_at)).toBeGreaterThan(Date.parse(inBody.body.lease.expires_at));
    const byFence = await ada('POST', '/v1/work/renew-lease', { fence: lease.fence, ttl_secs: 2000 });
    expect(Date.parse(byFence.body.lease.expires_at)).toBeGreaterThan(Date.parse(inHeader.body.lease.expires_at));
    const [row] = await daemon.database.query<{ same: boolean }>(
      'select l.expires_at = w.lease_expires_at as same from lease l join work_item w on w.lease_fence = l.fence where l.fence = $1',
      [lease.fence],
    );
    expect(row).toEqual({ same: true });
    expect((await ada('POST', `/v1/work/${item}/renew`, {})).status).toBe(400);
    expect((await ada('POST', `/v1/work/${item}/renew`, { fence: lease.fence }, { 'x-svc-fence': '1' })).status).toBe(
      400,
    );
    expect((await bo('POST', `/v1/work/${item}/renew`, { fence: lease.fence })).status).toBe(409);
  });

  it('is refused once the time is over, though no sweep has been', async () => {
    const [item] = await make(1);
    const { lease } = await claimNext(ada);
    await runOut(daemon.database, lease.fence);
    for (const path of [`${item}/renew`, `${item}/release`, 'renew-lease']) {
      const answer = await ada('POST', `/v1/work/${path}`, { fence: lease.fence });
      expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'LEASE_ENDED']);
    }
  });

  it('gives back what is in progress, with a receipt, a transition and an event', async () => {
    const [item] = await make(1);
    const { lease } = await claimNext(ada);
    expect((await bo('POST', `/v1/work/${item}/release`, { fence: lease.fence })).status).toBe(409);
    const { status, body } = await ada('POST', `/v1/work/${item}/release`, { fence: lease.fence, reason: 'lunch' });
    expect([status, body.work.state, body.work.version, body.fence]).toEqual([200, 'ready', 3, lease.fence]);
    const receipts = await daemon.database.query<{ kind: string }>(
      `select kind from receipt where stream = $1 order by seq`,
      [`work/${item}`],
    );
    const events = await daemon.database.query<{ kind: string }>(
      `select kind from outbox_event where subject = $1 order by position`,
      [item],
    );
    const kinds = ['work.claimed', 'work.released'];
    expect([receipts.map(({ kind }) => kind), events.map(({ kind }) => kind)]).toEqual([kinds, kinds]);
    expect((await ada('POST', `/v1/work/${item}/release`, { fence: lease.fence })).body.code).toBe('LEASE_ENDED');
    expect((await claimNext(bo)).work.work_id).toBe(item);
  });

  it('leaves what is in another state where it is', async () => {
    const [item] = await make(1);
    const { lease } = await claimNext(ada);
    await asSuperuser(daemon.database, `update work_item set state = 'in_review' where work_id = $1`, [item]);
    const { body } = await ada('POST', `/v1/work/${item}/release`, { fence: lease.fence });
    expect([body.work.state, body.work.version]).toEqual(['in_review', 2]);
  });

  it('is forced by an administrator alone, with a reason that the item shows', async () => {
    const [item] = await make(1);
    const { lease } = await claimNext(ada);
    const order = { confirm: true, reason: 'ada is away' };
    expect((await bo('POST', `/v1/work/${item}/force-release`, order)).status).toBe(403);
    expect((await daemon.call('POST', `/v1/work/${item}/force-release`, { ...order, confirm: false })).status).toBe(
      400,
    );
    expect((await daemon.call('POST', `/v1/work/${item}/force-release`, { confirm: true })).status).toBe(400);
    const { status, body } = await daemon.call('POST', `/v1/work/${item}/force-release`, order);
    expect([status, body.work.state, body.fence]).toEqual([200, 'ready', lease.fence]);
    const comments = await daemon.database.query<{ body: string }>('select body from work_comment where work_id = $1', [
      item,
    ]);
    expect(comments).toEqual([{ body: `The lease ${lease.fence} of ada was ended by force: ada is away` }]);
    expect((await ada('POST', `/v1/work/${item}/renew`, { fence: lease.fence })).body.code).toBe('LEASE_ENDED');
    expect((await daemon.call('POST', `/v1/work/${item}/force-release`, order)).status).toBe(409);
  });
});

describe('many at once', () => {
  it('64 callers claim 500 items, each once', async () => {
    const items = await make(500);
    const claimed: { id: string; fence: number }[] = [];
    const work = async (n: number): Promise<void> => {
      const call = daemon.as({ scopes: 'facts:write', passport: `worker-${n}` });
      for (;;) {
        const { work, lease } = await claimNext(call);
        if (work === null) return;
        claimed.push({ id: work.work_id, fence: lease.fence });
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, n) => work(n)));
    expect(claimed.map(({ id }) => id).sort()).toEqual(items);
    expect(new Set(claimed.map(({ fence }) => fence)).size).toBe(500);
  });

  it('32 callers claim the one item: one gets it, 31 are refused', async () => {
    const [item] = await make(1);
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        daemon.as({ scopes: 'facts:write', passport: `worker-${n}` })('POST', `/v1/work/${item}/claim`, {}),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(31).fill(409)]);
  });
});
