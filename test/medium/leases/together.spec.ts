import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { ClaimsStore } from '../../../src/modules/coordination/work/claims/claims.store.js';
import { DEFERRED, type NextClaim } from '../../../src/modules/coordination/work/claims/claims.types.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser, makeItems, runOut } from './work-items.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['default', 'other'] });
});
afterAll(() => daemon.close());

let project = '';
let count = 0;
beforeEach(() => {
  count += 1;
  project = `t${count}`;
});

const worker = (n: number, tenant = 'default') => daemon.as({ scopes: 'facts:write', passport: `worker-${n}`, tenant });
const claimNext = async (n: number, body: object = {}) =>
  (await worker(n)('POST', '/v1/work/claim-next', { project_id: project, ...body })).body;
const many = <T>(length: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length }, (_, n) => make(n)));
const held = async (length: number): Promise<{ id: string; fence: number }[]> => {
  await makeItems(daemon.database, project, length);
  const claims = await many(length, (n) => claimNext(n));
  return claims.map(({ work, lease }) => ({ id: work.work_id, fence: lease.fence }));
};

describe('claims of the next item at the same time', () => {
  it('get one each: what is assigned to them, what is free, what ran out; then null', async () => {
    const [overdue] = await makeItems(daemon.database, project, 1, { priority: 1 });
    const { lease } = await claimNext(99);
    await runOut(daemon.database, lease.fence);
    const [own, anothers] = await makeItems(daemon.database, project, 2, { priority: 0 });
    const assign = 'update work_item set assignee_passport = $2 where work_id = $1';
    await asSuperuser(daemon.database, assign, [own, 'worker-3']);
    await asSuperuser(daemon.database, assign, [anothers, 'worker-99']);
    const free = await makeItems(daemon.database, project, 6);
    const claims = await many(12, (n) => claimNext(n));
    expect(claims[3].work.work_id).toBe(own);
    const ids = claims.flatMap(({ work }) => (work ? [work.work_id as string] : []));
    expect(ids.toSorted()).toEqual([overdue!, own!, ...free].toSorted());
    claims.forEach(({ work, lease }, n) => {
      if (work) expect([lease.holder_passport, work.assignee_passport]).toEqual([`worker-${n}`, `worker-${n}`]);
    });
  });

  it('are each of the filter that was asked for, with a receipt, an event and a transition of their own', async () => {
    const [labelled] = await makeItems(daemon.database, project, 1, { priority: 4 });
    await asSuperuser(daemon.database, `update work_item set labels = '{api}' where work_id = $1`, [labelled]);
    await makeItems(daemon.database, `${project}-b`, 2);
    await makeItems(daemon.database, project, 5);
    const filters = [{ labels: ['api'] }, {}, { project_id: `${project}-b` }, {}, { labels: ['none'] }, {}];
    const claims = await many(6, (n) => claimNext(n, filters[n]));
    expect(claims[0].work.work_id).toBe(labelled);
    expect(claims[2].work.project_id).toBe(`${project}-b`);
    expect(claims[4].work).toBeNull();
    const granted = claims.filter(({ work }) => work !== null);
    for (const { work, lease } of granted) {
      const records = await daemon.database.query<{ actor: string; receipt_acquire: string; moved: string }>(
        `select r.actor, l.receipt_acquire, t.receipt_id as moved from lease l join receipt r on r.receipt_id = l.receipt_acquire
         join work_transition t on t.work_id = l.subject and t.fence = l.fence where l.fence = $1`,
        [lease.fence],
      );
      expect(records).toHaveLength(1);
      expect(records[0]!.moved).toBe(records[0]!.receipt_acquire);
      const events = await daemon.database.query(
        `select from outbox_event where kind = 'work.claimed' and subject = $1 and (data ->> 'fence')::bigint = $2`,
        [work.work_id, lease.fence],
      );
      expect(events).toHaveLength(1);
    }
  });
});

describe('the claims of one statement', () => {
  it('are of different items, though what was asked for differs and overlaps', async () => {
    const items = await makeItems(daemon.database, project, 5);
    await asSuperuser(daemon.database, `update work_item set labels = '{api}' where work_id = any($1)`, [
      items.slice(0, 2),
    ]);
    const claim = (n: number, labels: string[]): NextClaim => ({
      by: { principal: `worker-${n}`, authType: 'dev_scopes' },
      claimant: { holder: `worker-${n}`, askedBy: `worker-${n}`, ttlSeconds: 60 },
      filter: { projectId: project, labels },
    });
    const wanted = [claim(0, []), claim(1, ['api']), claim(2, []), claim(3, ['api']), claim(4, []), claim(5, ['none'])];
    const store = daemon.app.get(ClaimsStore, { strict: false });
    const tenancy = daemon.app.get(Tenancy, { strict: false });
    const found = await tenancy.run('default', () => store.claimNextOfEach(wanted));
    const claimed = found.flatMap((item) => (item && item !== DEFERRED ? [item.workId] : []));
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBeGreaterThanOrEqual(3);
    expect(found[5]).toBeUndefined();
  });
});

describe('releases and renewals at the same time', () => {
  it('are refused one by one: a wrong fence, an unknown item, another holder, a second release', async () => {
    const items = await held(4);
    const release = (n: number, id: string, fence: number) =>
      worker(n)('POST', `/v1/work/${id}/release`, { fence, reason: `done by ${n}` });
    const answers = await Promise.all([
      release(0, items[0]!.id, items[0]!.fence),
      release(1, items[1]!.id, items[0]!.fence),
      release(2, 'there-is-none', items[2]!.fence),
      release(0, items[3]!.id, items[3]!.fence),
      release(2, items[2]!.id, items[2]!.fence),
      release(2, items[2]!.id, items[2]!.fence),
    ]);
    expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([
      ...[200, 'LEASE_ENDED', 'WORK_UNKNOWN', 'WORK_HELD', 200, 'LEASE_ENDED'],
    ]);
    const renewals = await Promise.all([
      worker(1)('POST', `/v1/work/${items[1]!.id}/renew`, { fence: items[1]!.fence, ttl_secs: 5000 }),
      worker(3)('POST', `/v1/work/${items[3]!.id}/renew`, { fence: items[3]!.fence, ttl_secs: 6000 }),
      worker(0)('POST', `/v1/work/${items[0]!.id}/renew`, { fence: items[0]!.fence }),
    ]);
    expect(renewals.map(({ status, body }) => body.code ?? status)).toEqual([200, 200, 'LEASE_ENDED']);
    expect(await daemon.database.query(ENDS, [items.map(({ id }) => id)])).toEqual([
      { holder_passport: 'worker-0', passport: 'worker-0', why: 'done by 0' },
      { holder_passport: 'worker-2', passport: 'worker-2', why: 'done by 2' },
    ]);
  });

  it('do not wait for the one whose lease somebody writes under', async () => {
    const items = await held(4);
    const writer = new Client(daemon.database.superuserUrl);
    await writer.connect();
    await writer.query('begin');
    await writer.query('select from lease where fence = $1 for share', [items[0]!.fence]);
    const [late, ...others] = items.map(({ id, fence }, n) => worker(n)('POST', `/v1/work/${id}/release`, { fence }));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await writer.query('commit');
    await writer.end();
    expect((await late!).status).toBe(200);
  });

  it('are of their tenants alone', async () => {
    const [mine] = await held(1);
    const other = await worker(0, 'other')('POST', `/v1/work/${mine!.id}/release`, { fence: mine!.fence });
    expect(other.body.code).toBe('WORK_UNKNOWN');
    expect((await worker(0)('POST', `/v1/work/${mine!.id}/release`, { fence: mine!.fence })).status).toBe(200);
  });
});

const ENDS = `
  select l.holder_passport, t.passport, t.why from lease l join work_transition t on t.work_id = l.subject and t.fence = l.fence
    and t.receipt_id = l.receipt_end
  where l.subject = any($1) and l.status = 'released' order by 1`;
