import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { givenCredits } from '../economy/given.js';
import { anotherKey, callByRpc, expectStatus, POLICY_OFF, resolve, setPolicy, verdict, withToken } from './given.js';

let api: TestApi;
let second: TestApi;
let tools: TestTools;
let acme: TestTenant;
let approver: TestTenant;
/** The same tenant at the second server. */
let acmeThere: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: { SVC_DATABASE_POOL_SIZE: '16' } });
  second = await startApi({ database: api.database });
  tools = await startTools(api);
  acme = api.tenant;
  approver = await anotherKey(api, acme);
  acmeThere = { ...acme, call: caller(second.url, acme.tenantId, acme.apiKey) };
});
afterEach(async () => {
  await setPolicy(acme, POLICY_OFF);
});
afterAll(async () => {
  await tools.close();
  await second.close();
  await api.close();
});

const tip = (agentId: string, credits: number, tenant = acme, headers = {}) =>
  tenant.call('POST', '/v1/economy/tip-platform', { agentId, credits }, headers);
const tipByTool = (agentId: string, credits: number, params: object = {}) =>
  callByRpc(tools, acme, 'tip_platform', { agent_id: agentId, credits, idempotency_key: randomUUID(), ...params });
const tipped = async (agentId: string): Promise<number> => {
  const [row] = await api.database.query<{ credits: number }>(
    `select coalesce(sum((data->>'credits')::int), 0)::int as credits from outbox_event
     where tenant_id = 'acme' and kind = 'platform.tipped' and data->>'agentId' = $1`,
    [agentId],
  );
  return row!.credits;
};
/** What the first key of acme may spend in addition to what it has spent. */
async function allow(credits: number): Promise<void> {
  const [row] = await api.database.query<{ credits: number }>(
    'select coalesce(sum(credits), 0)::int as credits from shield_spending where principal = $1',
    [`key:${acme.keyId}`],
  );
  await setPolicy(acme, { spendWindow: { credits: row!.credits + credits, seconds: 3600 } });
}
const counted = (answers: string[]) =>
  answers.reduce<Record<string, number>>((all, one) => ({ ...all, [one]: (all[one] ?? 0) + 1 }), {});

describe('the spend window', () => {
  it('lets exactly as many of 12 parallel tips through as fit, over two servers and the tool service together', async () => {
    await givenCredits(api, 'acme', 'many', 5000);
    await allow(500);
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        if (n % 3 === 2) return (await tipByTool('many', 100)).words.replace('ok', '201');
        return verdict(await tip('many', 100, n % 3 ? acmeThere : acme)).replace('403 ', '');
      }),
    );
    expect(counted(answers)).toEqual({ 201: 5, ShieldApprovalRequired: 7 });
    expect(await tipped('many')).toBe(500);
  });

  it('lets an approval open exactly one call, which counts; each principal has a window of its own', async () => {
    await givenCredits(api, 'acme', 'window', 5000);
    await allow(150);
    expect(verdict(await tip('window', 100))).toBe('201');
    const refused = await tip('window', 60);
    expect(verdict(refused)).toBe('403 ShieldApprovalRequired');
    const { approvalRequestId } = refused.body;
    const { body: request } = await approver.call('GET', `/v1/shield/approvals/${approvalRequestId}`);
    expect(request).toMatchObject({
      spendCredits: 60,
      reason: expect.stringMatching(/^It spends 60 credits after \d+ in the last 3600 s/),
    });
    const { approvalToken } = (await expectStatus(200, resolve(approver, approvalRequestId))).body;
    const uses = await Promise.all(Array.from({ length: 4 }, () => tip('window', 60, acme, withToken(approvalToken))));
    expect(counted(uses.map(verdict))).toEqual({ 201: 1, '403 ShieldDenied approval_void used': 3 });
    // 160 of 150: not even one credit is left, and what fitted before does not any more.
    expect(verdict(await tip('window', 1))).toBe('403 ShieldApprovalRequired');
    expect(verdict(await tip('window', 100, approver))).toBe('201');
    expect(await tipped('window')).toBe(260);
  });

  it('is asked about a tool call in its effect, and the approval is of the tool call', async () => {
    await givenCredits(api, 'acme', 'tool', 5000);
    await allow(10);
    const refused = await tipByTool('tool', 20);
    expect(refused.words).toBe('ShieldApprovalRequired');
    const { body } = await resolve(approver, refused.data.approvalRequestId);
    expect(body).toMatchObject({ action: 'tip_platform', serverId: 'svc-tools', spendCredits: 20 });
    const token = { shield_approval_token: body.approvalToken };
    expect((await tipByTool('tool', 20, token)).words).toBe('ok');
    expect((await tipByTool('tool', 20, token)).words).toBe('ShieldDenied approval_void');
    expect(await tipped('tool')).toBe(20);
  });

  it('is of the seconds before a call: what is older is spent no more, and what was spent before it was set is', async () => {
    const later = await api.addTenant('later');
    expect(verdict(await tip('a', 90, later))).toBe('201');
    await setPolicy(later, { spendWindow: { credits: 100, seconds: 3600 } });
    expect(verdict(await tip('a', 10, later))).toBe('201');
    expect(verdict(await tip('a', 1, later))).toBe('403 ShieldApprovalRequired');
    // The threshold of one call stays, whatever the window has left.
    await setPolicy(later, { spendWindow: { credits: 1000, seconds: 3600 } });
    expect(verdict(await tip('a', 101, later))).toBe('403 ShieldApprovalRequired');
    await setPolicy(later, { spendWindow: { credits: 100, seconds: 3 } });
    await setTimeout(3100);
    expect(verdict(await tip('a', 100, later))).toBe('201');
  });

  it('counts nothing of a call that was refused, failed, or was answered again', async () => {
    const poor = await api.addTenant('poor', 'free');
    await setPolicy(poor, { spendWindow: { credits: 470, seconds: 3600 } });
    const answers = [];
    for (let calls = 0; calls < 5; calls += 1) answers.push(verdict(await tip('a', 90, poor)));
    expect(counted(answers)).toEqual({ 201: 5 });
    const key = { 'x-idempotency-key': randomUUID() };
    for (let calls = 0; calls < 3; calls += 1) expect(verdict(await tip('a', 5, poor, key))).toBe('201');
    expect(verdict(await tip('a', 30, poor))).toBe('403 ShieldApprovalRequired');
    await setPolicy(poor, { spendWindow: { credits: 1000, seconds: 3600 } });
    expect(verdict(await tip('a', 60, poor))).toBe('429 CreditsExhausted');
    const [row] = await api.database.query(
      `select sum(credits)::int as credits, count(*)::int as calls from shield_spending where tenant_id = 'poor'`,
    );
    expect(row).toEqual({ credits: 455, calls: 6 });
  });
});
