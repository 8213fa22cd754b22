import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let api: TestApi;
let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi({ env: { SVC_JOBS: '0' } });
  daemon = await startDaemon({ database: api.database, env: { SVCD_ENABLED_PRO_SERVICES: 'policy:simulate' } });
  call = daemon.as({ scopes: 'admin:read', tenant: api.tenant.tenantId });
  const must = async (path: string, body: object) =>
    expect((await api.tenant.call('POST', path, body)).status).toBeLessThan(300);
  await must('/v1/shield/trust/publishers', { publisherId: 'us', name: 'us', reason: 'r' });
  await must('/v1/shield/servers', { serverId: 'ours', publisherId: 'us', reason: 'r' });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** Calls with and without names, mutations and reads, of which some ask for an approval anyhow. */
const CALLS: { method: string; path: string; body?: object; headers?: Record<string, string> }[] = [
  { method: 'POST', path: '/v1/feedback/requests', body: { title: 'A lamp', body: 'Please' } },
  {
    method: 'POST',
    path: '/v1/feedback/requests',
    body: { title: 'A lamp', body: 'Please' },
    headers: { 'x-shield-server-id': 'ours' },
  },
  {
    method: 'POST',
    path: '/v1/feedback/requests',
    body: { title: 'A lamp', body: 'Please' },
    headers: { 'x-shield-server-id': 'invented' },
  },
  {
    ...{ method: 'POST', path: '/v1/feedback/requests', body: { title: 'A lamp', body: 'Please' } },
    headers: { 'x-shield-server-id': 'ours', 'x-shield-tool-digest': DIGEST },
  },
  { method: 'POST', path: '/v1/economy/tip-platform', body: { agentId: 'a', credits: 150, message: 'm' } },
  { method: 'POST', path: '/v1/economy/tip-platform', body: { agentId: 'a', credits: 20, message: 'm' } },
  { method: 'POST', path: '/v1/economy/tip-platform', body: { agentId: 'a', credits: 20, message: 'm' } },
  { method: 'POST', path: '/v1/economy/tip-platform', body: { agentId: 'a', credits: 20, message: 'm' } },
  { method: 'GET', path: '/v1/feedback/requests', headers: { 'x-shield-server-id': 'invented' } },
];

/** What the shield made of each call, by what it answered: a domain's own refusal comes after it. */
async function runAll(): Promise<string[]> {
  const outcomes: string[] = [];
  for (const { method, path, body, headers = {} } of CALLS) {
    const { body: answer } = await api.tenant.call(method, path, body, headers);
    const type = answer?.type as string | undefined;
    outcomes.push(type === 'ShieldDenied' ? 'deny' : type === 'ShieldApprovalRequired' ? 'approval_required' : 'allow');
  }
  return outcomes;
}

async function recorded(): Promise<number> {
  const [row] = await api.database.query<{ n: number }>(
    'select count(*)::int as n from shield_decision where tenant_id = $1',
    [api.tenant.tenantId],
  );
  return row!.n;
}

const simulate = async (body: object) => {
  const answer = await call('POST', '/v1/workbench/policy-simulation', body);
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  return answer.body;
};

const PROPOSALS: [string, object, object][] = [
  ['a server that must be named', { require_server_id: true }, { requireServerId: true }],
  ['a definition that must be named', { require_tool_digest: true }, { requireToolDigest: true }],
  ['names that must be registered', { require_registered: true }, { requireRegistered: true }],
  [
    'a spend window',
    { spend_window: { credits: 50, seconds: 86_400 } },
    { spendWindow: { credits: 50, seconds: 86_400 } },
  ],
];

describe('a simulation', () => {
  it('says that nothing was replayed, of a tenant without decisions', async () => {
    const other = daemon.as({ scopes: 'admin:read', tenant: 'default' });
    const { status, body } = await other('POST', '/v1/workbench/policy-simulation', {
      policy: { require_registered: true },
    });
    expect([status, body.verdict, body.replayed]).toEqual([200, 'warn', 0]);
  });

  it.each(PROPOSALS)('of %s flips what really flips once it is set', async (_, proposed, real) => {
    await api.tenant.call('PUT', '/v1/shield/policy', {
      ...{ requireServerId: false, requireToolDigest: false, requireRegistered: false, spendWindow: null, reason: 'r' },
    });
    // What was spent before counts for real, and is not among what is replayed.
    await api.database.query('delete from shield_spending where tenant_id = $1', [api.tenant.tenantId]);
    const from = await recorded();
    const before = await runAll();
    const last = (await recorded()) - from;
    expect(last).toBeGreaterThan(6);
    const simulated = await simulate({ policy: proposed, last, limit: 100 });
    expect(simulated.replayed).toBe(last);
    await api.database.query('delete from shield_spending where tenant_id = $1', [api.tenant.tenantId]);
    const set = await api.tenant.call('PUT', '/v1/shield/policy', { ...real, reason: 'r' });
    expect(set.status).toBe(200);
    const after = await runAll();
    const really = before.flatMap((was, place) =>
      was === after[place] ? [] : [`${CALLS[place]!.method} ${CALLS[place]!.path} ${was} ${after[place]}`],
    );
    expect(really.length).toBeGreaterThan(0);
    const flipped = simulated.flips.map((one: any) => `${one.action} ${one.was} ${one.would_be}`).reverse();
    expect(flipped).toEqual(really);
    expect(simulated.flips.every((one: any) => one.cause === 'policy')).toBe(true);
    expect(simulated.groups.reduce((sum: number, one: any) => sum + one.count, 0)).toBe(simulated.flips_total);
  });

  it('of a kill switch lists what it would stop, and writes nothing', async () => {
    const before = await recorded();
    const found = await simulate({
      kill_switches: [{ scope: 'action', target: 'POST /v1/economy/*' }],
      limit: 0,
    });
    expect([found.verdict, found.flips]).toEqual(['fail', []]);
    expect(found.groups.every((one: any) => one.action.startsWith('POST /v1/economy/') || one.cause === 'state')).toBe(
      true,
    );
    expect(await recorded()).toBe(before);
  });

  it.each<[object, string]>([
    [{}, 'proposes nothing'],
    [{ kill_switches: [{ scope: 'action' }] }, 'kill_switches[0].target'],
    [{ kill_switches: [{ scope: 'tenant', target: 'x' }] }, 'kill_switches[0].target'],
    [{ policy: { require_registered: true }, last: 100_001 }, 'last'],
  ])('refuses %j', async (body, said) => {
    const answer = await call('POST', '/v1/workbench/policy-simulation', body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(said)]);
  });
});
