import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsDigest } from '../../../src/common/call-policy/call-arguments.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { expectStatus, lift, mark } from './given.js';
import {
  callerOf,
  decisionsOf,
  inWords,
  query,
  refusalOf,
  startToolProcess,
  type ToolProcess,
} from './tool-process.js';

const LIMIT = 30;
let api: TestApi;
let processes: ToolProcess[];
let unlimited: ToolProcess;
beforeAll(async () => {
  api = await startApi();
  const env = { SVC_TOOLS_RATE_LIMIT: String(LIMIT) };
  const started = [env, env, {}].map((one) => startToolProcess(api.database, one));
  const [first, second, third] = await Promise.all(started);
  processes = [first!, second!];
  unlimited = third!;
});
afterAll(async () => {
  await Promise.all([...processes, unlimited].map((one) => one.close()));
  await api.close();
});

/** A principal that has not called yet. */
const somebody = () => ({ ...callerOf(api.tenant), principal: `key:${randomUUID()}` });
const windowsOf = (principal: string) =>
  api.database.query<{ window_start: Date; calls: number }>(
    'select window_start, calls from tool_window where principal = $1 order by window_start',
    [principal],
  );
const decided = async (principal: string) => (await decisionsOf(api.database, 'principal = $1', [principal])).length;

/** Calls of 16 clients, spread over the processes. @returns how many were let through */
async function crowd(caller: ReturnType<typeof somebody>, callsEach: number): Promise<number> {
  const clients = Array.from({ length: 16 }, async (_, client) => {
    const words: string[] = [];
    for (let calls = 0; calls < callsEach; calls += 1)
      words.push(await inWords(processes[client % 2]!.admit(query(api.tenant, { caller }))));
    return words;
  });
  const words = (await Promise.all(clients)).flat();
  expect(new Set(words)).toEqual(new Set(['admitted', 'RateWindowExceeded']));
  return words.filter((word) => word === 'admitted').length;
}

/** As if a minute had begun: the windows there are lie before it. */
const nextMinute = (principal: string, minutes: number) =>
  api.database.query(
    `update tool_window set window_start = window_start - make_interval(mins => $2)
     where principal = $1 and window_start > now() - interval '10 minutes'`,
    [principal, minutes],
  );

/** The policy changes without a notification: what processes remember is of the version before. */
async function changePolicyUnheard(): Promise<void> {
  const owner = new Client({ connectionString: api.database.superuserUrl });
  await owner.connect();
  await owner.query('alter table shield_policy disable trigger announce_change');
  await api.database.query(`update shield_policy set version = version + 1 where tenant_id = 'acme'`);
  await owner.query('alter table shield_policy enable trigger announce_change');
  await owner.end();
}

describe('a rate window', () => {
  it('admits exactly its number, whatever the clients and processes, window after window', async () => {
    const caller = somebody();
    let admitted = 0;
    let whole = 0;
    for (let round = 1; whole < 10 && round < 30; round += 1) {
      const before = (await windowsOf(caller.principal)).length;
      const now = await crowd(caller, 4);
      const windows = (await windowsOf(caller.principal)).length - before;
      admitted += now;
      // A minute that really ended meanwhile lets more through; the next round decides.
      if (windows === 1) expect(now).toBe(LIMIT);
      if (windows === 1) whole += 1;
      await nextMinute(caller.principal, 60 * round);
    }
    expect(whole).toBe(10);
    const windows = await windowsOf(caller.principal);
    expect(windows.every(({ calls }) => calls <= LIMIT)).toBe(true);
    expect(windows.reduce((sum, { calls }) => sum + calls, 0)).toBe(admitted);
    expect(await decided(caller.principal)).toBe(admitted);
  });

  it('says how long it lasts by the clock of the database, and keeps nothing of a refused call', async () => {
    const caller = somebody();
    await unlimited.admit(query(api.tenant, { caller }));
    expect(await windowsOf(caller.principal)).toEqual([]);
    // Full now and in the next minute, should it begin meanwhile.
    await api.database.query(
      `insert into tool_window select 'acme', $1, date_trunc('minute', now()) + make_interval(mins => n), $2 from generate_series(0, 1) n`,
      [caller.principal, LIMIT],
    );
    const left = async () => {
      const [row] = await api.database.query<{ left: number }>(
        `select extract(epoch from date_trunc('minute', clock_timestamp()) + interval '1 minute' - clock_timestamp())::float8 as left`,
      );
      return row!.left;
    };
    const before = await left();
    const refusal = await refusalOf(processes[0]!.admit(query(api.tenant, { caller })));
    const after = await left();
    const { status, type, retryable } = refusal.kind;
    expect([status, type, retryable, refusal.facts.limit]).toEqual([429, 'RateWindowExceeded', true, LIMIT]);
    const { retryAfterSec } = refusal.facts;
    expect(Number.isInteger(retryAfterSec)).toBe(true);
    if (after < before)
      expect([retryAfterSec >= Math.ceil(after), retryAfterSec <= Math.ceil(before)]).toEqual([true, true]);
    expect(refusal.message).toContain(`${LIMIT} tool calls a minute`);
    expect((await windowsOf(caller.principal)).map(({ calls }) => calls)).toEqual([LIMIT, LIMIT]);
    expect(await decided(caller.principal)).toBe(1);
  });

  it('is of one principal of one tenant', async () => {
    const caller = somebody();
    await crowd(caller, 4);
    const other = await api.addTenant('other');
    const calls = [somebody(), { ...caller, tenantId: other.tenantId }].map((one) => query(other, { caller: one }));
    for (const call of calls) expect(await inWords(processes[0]!.admit(call))).toBe('admitted');
  });

  it('counts a call once that is refused by the shield, comes with a token, or is decided on twice since the policy changed', async () => {
    const counted = async (caller: { principal: string }) =>
      (await windowsOf(caller.principal)).reduce((sum, { calls }) => sum + calls, 0);
    const caller = somebody();
    const call = query(api.tenant, { caller });
    const process = processes[0]!;
    await process.admit(call);
    const marked = await mark(api.tenant, 'query_vault');
    expect(await inWords(process.admit(call))).toBe('ShieldApprovalRequired');
    expect(await inWords(process.admit({ ...call, approvalToken: 'svc_appr_of_nobody' }))).toBe(
      'ShieldDenied approval_void unknown',
    );
    await lift(api.tenant, marked);
    await process.admit(call);
    expect(await counted(caller)).toBe(4);

    await changePolicyUnheard();
    const asked = await process.admittedBy('facts asked for');
    const { decisionId } = await process.admit(call);
    expect(await process.admittedBy('facts asked for')).toBe(asked + 1);
    expect(await counted(caller)).toBe(5);
    const [policy] = await api.database.query<{ version: number }>(
      `select version from shield_policy where tenant_id = 'acme'`,
    );
    const [decision] = await decisionsOf(api.database, 'decision_id = $1', [decisionId]);
    expect(decision.policy_version).toBe(policy!.version);
  });

  it('lets as many calls pass that go together as it would one by one, each with a decision of its own', async () => {
    const caller = somebody();
    const calls = Array.from({ length: LIMIT + 10 }, (_, number) =>
      query(api.tenant, { caller, arguments: { query: `lighthouse ${number}` } }),
    );
    await processes[0]!.admit(calls[0]!);
    const asked = await Promise.allSettled(calls.slice(1).map((call) => processes[0]!.admit(call)));
    const windows = await windowsOf(caller.principal);
    const refused = asked.filter(({ status }) => status === 'rejected');
    if (windows.length === 1) expect([windows[0]!.calls, refused.length]).toEqual([LIMIT, 10]);
    for (const { reason } of refused as PromiseRejectedResult[])
      expect([reason.kind.type, reason.facts.limit, reason.facts.retryAfterSec > 0]).toEqual([
        'RateWindowExceeded',
        LIMIT,
        true,
      ]);
    const digests = new Map(
      asked.flatMap((one, place) =>
        one.status === 'fulfilled'
          ? [[one.value.decisionId, argumentsDigest(calls[place + 1]!.arguments).slice('sha256:'.length)]]
          : [],
      ),
    );
    const rows = await api.database.query<{ id: string; digest: string; commit: string; events: number }>(
      `select d.decision_id as id, encode(d.arguments_digest, 'hex') as digest, d.xmin::text as commit,
         (select count(*)::int from outbox_event e where e.event_id = d.decision_id and e.tenant_id = d.tenant_id) as events
       from shield_decision d where d.tenant_id = 'acme' and d.principal = $1 and d.decision_id = any($2)`,
      [caller.principal, [...digests.keys()]],
    );
    expect(new Map(rows.map(({ id, digest }) => [id, digest]))).toEqual(digests);
    expect(new Set(rows.map(({ events }) => events))).toEqual(new Set([1]));
    expect(new Set(rows.map(({ commit }) => commit)).size).toBeLessThan(rows.length);
  });

  it('counts calls that go together once, though the policy changed since', async () => {
    const caller = somebody();
    const admit = async () => (await processes[0]!.admit(query(api.tenant, { caller }))).decisionId;
    await admit();
    await changePolicyUnheard();
    const ids = await Promise.all(Array.from({ length: 8 }, admit));
    expect((await windowsOf(caller.principal)).reduce((sum, { calls }) => sum + calls, 0)).toBe(9);
    const [policy] = await api.database.query<{ version: number }>(
      `select version from shield_policy where tenant_id = 'acme'`,
    );
    const decisions = await decisionsOf(api.database, 'decision_id = any($1)', [ids]);
    expect(decisions.map(({ policy_version }) => policy_version)).toEqual(ids.map(() => policy!.version));
  });

  it('is removed when it is over', async () => {
    const caller = somebody();
    await processes[0]!.admit(query(api.tenant, { caller }));
    await api.database.query(
      `insert into tool_window values ('acme', $1, now() - interval '61 minutes', 3), ('acme', $1, now() - interval '59 minutes', 4)`,
      [caller.principal],
    );
    expect(await processes[0]!.windowSweep.sweep()).toBeGreaterThan(0);
    expect((await windowsOf(caller.principal)).map(({ calls }) => calls)).toEqual([4, 1]);
  });

  it('does not stand in the way of the API itself', async () => {
    const caller = callerOf(api.tenant);
    await crowd(caller, 4);
    await expectStatus(200, api.tenant.call('POST', '/v1/retrieve', { query: 'lighthouse', includeCommons: false }));
  });
});
