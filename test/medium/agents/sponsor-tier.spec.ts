import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ingest } from '../retrieval/given.js';
import { givenAgent, givenSession, ON, type TestAgent } from './given.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: ON });
  await ingest(api.tenant, [{ docId: 'open', content: 'Quokkas smile.', shareability: 'public_safe' }]);
});
afterAll(() => api.close());

async function sponsored(
  tenant: TestTenant,
  body: object,
): Promise<{ agent: TestAgent; tier: string; effectiveTier: string }> {
  const agent = await givenAgent(api.url);
  const owner = await givenSession(api, tenant);
  const { status, body: claim } = await owner('POST', `/v1/agents/${agent.agentId}/sponsor`, body);
  expect(status).toBe(200);
  return { agent, tier: claim.tier, effectiveTier: claim.effectiveTier };
}

/** What the tier decides for an agent: price of the commons, watches, what its credits say. */
async function rightsOf({ call }: TestAgent) {
  const found = await call('POST', '/v1/retrieve', { query: 'quokkas smile' });
  const credits = await call('GET', '/v1/credits/a');
  return [found.body.credit_cost, (await call('GET', '/v1/watches')).status, credits.body.tier];
}

it('an agent acts by the lower of its sponsorship and its tenant, for which it also pays', async () => {
  const free = await api.addTenant('free', 'free');
  const pro = await api.addTenant('pro', 'pro');
  const byDefault = await sponsored(free, {});
  const asked = await sponsored(free, { tier: 'team' });
  expect([byDefault, asked].map(({ tier, effectiveTier }) => [tier, effectiveTier])).toEqual([
    ['starter', 'free'],
    ['starter', 'free'],
  ]);
  for (const { agent } of [byDefault, asked]) expect(await rightsOf(agent)).toEqual([5, 403, 'free']);

  const low = await sponsored(pro, {});
  const high = await sponsored(pro, { tier: 'team' });
  expect([low.tier, high.tier]).toEqual(['starter', 'pro']);
  expect(await rightsOf(low.agent)).toEqual([1, 200, 'starter']);
  expect(await rightsOf(high.agent)).toEqual([1, 200, 'pro']);
  const cap = async ({ agent }: typeof low) =>
    (await agent.call('GET', '/v1/economy/dashboard/a')).body.conversion.capPence;
  expect([await cap(low), await cap(high)]).toEqual([1_450, 4_950]);
  // The tenant's own callers have its tier, whatever its agents have.
  expect((await pro.call('GET', '/v1/credits/a')).body).toMatchObject({ tier: 'pro', balance: 19_998 });

  const listed = async (query: string) =>
    (await pro.call('GET', `/v1/org/agents${query}`)).body.agents.map(({ agentPrincipalId, tier }: any) => [
      agentPrincipalId,
      tier,
    ]);
  const [lowRow, highRow] = [
    [low.agent.agentId, 'starter'],
    [high.agent.agentId, 'pro'],
  ];
  expect(await listed('')).toEqual([lowRow, highRow]);
  expect([await listed('?tier=pro'), await listed('?tier=starter'), await listed('?tier=team')]).toEqual([
    [highRow],
    [lowRow],
    [],
  ]);

  // What it was sponsored at is what it acts by as soon as the tenant has it.
  await api.database.query(`update tenant set tier = 'team' where tenant_id = 'free'`);
  await expect.poll(() => rightsOf(asked.agent), { timeout: 5_000, interval: 100 }).toEqual([1, 200, 'team']);
  expect(await rightsOf(byDefault.agent)).toEqual([1, 200, 'starter']);
});
