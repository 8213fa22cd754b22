import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { callByRpc, expectStatus, lift, mark, verdict } from './given.js';

let api: TestApi;
let tools: TestTools;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api);
  acme = api.tenant;
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

describe('a sampling policy', () => {
  const sample = (match: object, ratePerMillion = 1_000_000) =>
    acme.call('POST', '/v1/shield/sampling-policies', { name: randomUUID(), match, ratePerMillion });

  it('that could never keep anything is refused, with what can be sampled', async () => {
    for (const action of ['GET /v1/corpora', 'POST /v1/retrieve', 'GET /v1/*']) {
      const refused = await sample({ action });
      expect([action, refused.status, refused.body.issues?.[0].path]).toEqual([action, 400, 'body.match.action']);
      expect(refused.body.issues[0].message).toContain('match.outcome');
      expect((await sample({ action, outcome: 'allow' })).status).toBe(400);
      // Nobody is kept from ending one.
      expect((await sample({ action }, 0)).status).toBe(201);
    }
    expect((await sample({ principal: 'me' })).body.issues[0].path).toBe('body.match.principal');
  });

  it('on a read keeps what was refused, and on a tool that reads what was allowed', async () => {
    const kept = await expectStatus(201, sample({ action: 'POST /v1/retrieve', outcome: 'deny' }));
    expect(kept.body.remark).toBeNull();
    const ofTool = await expectStatus(201, sample({ action: 'query_vault' }));
    const switched = await mark(acme, 'POST /v1/retrieve', 'deny');
    expect(verdict(await acme.call('POST', '/v1/retrieve', { query: 'x' }))).toBe('403 ShieldDenied kill_switch');
    await lift(acme, switched);
    expect((await callByRpc(tools, acme, 'query_vault', { query: 'lighthouse' })).words).toBe('ok');
    const listed = (await acme.call('GET', '/v1/shield/sampling-policies?limit=200')).body.samplingPolicies;
    const sampledBy = ({ body }: Answer) =>
      listed.find(({ samplingPolicyId }: any) => samplingPolicyId === body.samplingPolicyId).sampled;
    expect([sampledBy(kept), sampledBy(ofTool)]).toEqual([1, 1]);
  });

  it('of before that keeps less than it says stays as it is, and says so', async () => {
    await api.database.query(
      `insert into shield_sampling_policy (tenant_id, sampling_policy_id, name, match_action, rate_per_million, changed_by)
       values ('acme', gen_random_uuid(), 'old', 'GET /v1/corpora', 1000000, 'key:1')`,
    );
    const { samplingPolicies } = (await acme.call('GET', '/v1/shield/sampling-policies?limit=200')).body;
    expect(samplingPolicies.find(({ name }: any) => name === 'old').remark).toContain('leaves no decision');
  });
});
