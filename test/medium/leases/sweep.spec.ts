import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { makeItems } from './work-items.js';

/** Two daemons on one database: both sweep. */
let daemon: TestDaemon;
let second: TestDaemon;
let ada: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['default', 'other'] });
  second = await startDaemon({ database: daemon.database });
  ada = daemon.as({ scopes: 'facts:write', passport: 'ada' });
});
afterAll(async () => {
  await second.close();
  await daemon.close();
});

let project = '';
let count = 0;
beforeEach(() => {
  count += 1;
  project = `s${count}`;
});

/** Items of the project that are in progress, until none is. */
async function untilSwept(): Promise<void> {
  for (;;) {
    const rows = await daemon.database.query(`select from work_item where project_id = $1 and state = 'in_progress'`, [
      project,
    ]);
    if (rows.length === 0) return;
    await sleep(50);
  }
}

const recordsOf = async (item: string) => ({
  receipts: await daemon.database.query(`select kind, actor from receipt where stream = 'work/' || $1 order by seq`, [
    item,
  ]),
  events: await daemon.database.query(`select kind from outbox_event where subject = $1 order by position`, [item]),
  moves: await daemon.database.query(
    `select from_state, to_state, passport, fence is not null as fenced from work_transition where work_id = $1 order by version`,
    [item],
  ),
  comments: await daemon.database.query(`select author_passport from work_comment where work_id = $1`, [item]),
});

describe('the sweep', () => {
  it('returns what expired to ready, with its records, once, though two daemons sweep', async () => {
    const items = await makeItems(daemon.database, project, 40);
    const claims = await Promise.all(
      items.map(async (item) => (await ada('POST', `/v1/work/${item}/claim`, { ttl_secs: 1 })).body),
    );
    await untilSwept();
    for (const item of items)
      expect(await recordsOf(item)).toEqual({
        receipts: [
          { kind: 'work.claimed', actor: 'passport:ada' },
          { kind: 'work.lease_expired', actor: 'svc:lease-sweep' },
        ],
        events: [{ kind: 'work.claimed' }, { kind: 'work.lease_expired' }],
        moves: [
          { from_state: 'ready', to_state: 'in_progress', passport: 'ada', fenced: true },
          { from_state: 'in_progress', to_state: 'ready', passport: 'svc:lease-sweep', fenced: true },
        ],
        comments: [{ author_passport: 'svc:lease-sweep' }],
      });
    const ended = await daemon.database.query<{ late: number; status: string; receipted: boolean }>(
      `select extract(epoch from ended_at - expires_at)::float8 as late, status, receipt_end is not null as receipted from lease
       where fence = any($1)`,
      [claims.map(({ lease }) => lease.fence as number)],
    );
    expect(ended.map(({ status, receipted }) => [status, receipted])).toEqual(items.map(() => ['expired', true]));
    expect(ended.filter(({ late }) => late < 0)).toEqual([]);
  });

  it('and those that take over at the same moment end a lease once', async () => {
    const items = await makeItems(daemon.database, project, 20);
    for (const item of items) await ada('POST', `/v1/work/${item}/claim`, { ttl_secs: 1 });
    const taken = new Set<string>();
    const take = async (n: number): Promise<void> => {
      const call = (n % 2 ? second : daemon).as({ scopes: 'facts:write', passport: `taker-${n}` });
      while (taken.size < items.length) {
        const { status, body } = await call('POST', '/v1/work/claim-next', { project_id: project, ttl_secs: 600 });
        expect(status, JSON.stringify(body)).toBe(200);
        const { work } = body;
        if (work === null) continue;
        expect(taken.has(work.work_id)).toBe(false);
        taken.add(work.work_id);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, n) => take(n)));
    for (const item of items) {
      const { receipts, moves } = await recordsOf(item);
      expect(receipts.map((row) => (row as { kind: string }).kind)).toEqual([
        'work.claimed',
        'work.lease_expired',
        'work.claimed',
      ]);
      expect(moves.length).toBe(3);
    }
  });

  it('writes nothing of a tenant that was deleted', async () => {
    const [item] = await makeItems(daemon.database, project, 1, { tenant: 'other' });
    const there = daemon.as({ scopes: 'facts:write', passport: 'ada', tenant: 'other' });
    const [later] = await makeItems(daemon.database, project, 1);
    const { lease } = (await there('POST', `/v1/work/${item}/claim`, { ttl_secs: 1 })).body;
    await daemon.database.query(
      `update tenant set state = 'deleted', erase_after = now() + interval '1 day' where tenant_id = 'other'`,
    );
    await ada('POST', `/v1/work/${later}/claim`, { ttl_secs: 2 });
    for (;;) {
      const rows = await daemon.database.query(`select from work_item where work_id = $1 and state = 'ready'`, [later]);
      if (rows.length > 0) break;
      await sleep(50);
    }
    const rows = await daemon.database.query('select status from lease where fence = $1', [lease.fence]);
    expect(rows).toEqual([{ status: 'held' }]);
  });
});
