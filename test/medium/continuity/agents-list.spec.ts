import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenAnswer, givenDocument, prove, retrieve } from '../proofs/given.js';
import { walk, write } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

/** Nobody else may write the rows. */
async function asOwner(sql: string): Promise<void> {
  const owner = new Client({ connectionString: api.database.url });
  await owner.connect();
  await owner.query(sql);
  await owner.end();
}
const agents = async (tenant = acme): Promise<any[]> => (await tenant.call('GET', '/v1/home')).body.agents;
const kinds = async () => Object.fromEntries((await agents()).map((one) => [one.agentId, one.lastActivity]));

describe('the agents of a tenant', () => {
  it('are whatever is named anywhere, with what each did last', async () => {
    expect(await agents()).toEqual([]);
    await givenDocument(acme, { text: 'Everyone has 25 days of leave.' });
    const [{ chunkId }] = await retrieve(acme, 'leave', { agentId: 'searcher' });
    await expect.poll(kinds).toEqual({ searcher: 'retrieval' });
    await write(acme, 'planner', {});
    const answerId = await givenAnswer(acme, [chunkId], { agentId: 'author' });
    await acme.call('POST', '/v1/watches', { agentId: 'guard', targetType: 'answer', targetId: answerId });
    await acme.call('POST', '/v1/economy/convert', { agentId: 'buyer', credits: 100 });
    await givenAnswer(acme, [chunkId], { agentId: 'both' });
    await acme.call('POST', '/v1/watches', { agentId: 'both', targetType: 'answer', targetId: answerId });
    const opened = await acme.call('POST', '/v1/proof/jobs', { agentId: 'prover', mode: 'light', answerId });
    expect(opened.status).toBe(202);
    expect(await kinds()).toMatchObject({
      ...{ searcher: 'retrieval', planner: 'journal', author: 'answer', guard: 'watch', both: 'watch' },
      ...{ buyer: 'credits', prover: expect.stringMatching(/^(proof|journal)$/) },
    });
    await prove(acme, { answerId, agentId: 'prover' });
    const found = await agents();
    expect(found[0]).toEqual({
      agentId: 'prover',
      lastActivity: 'journal',
      lastActiveAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await walk(acme, '/v1/home', 'agents', 2)).toEqual(found);
    expect(await agents(await api.addTenant('other'))).toEqual([]);
  });

  it('move to the front when they are active again', async () => {
    await asOwner(`update agent_activity set last_active_at = last_active_at - interval '1 hour'`);
    await retrieve(acme, 'leave', { agentId: 'searcher' });
    await expect.poll(async () => (await agents())[0]).toMatchObject({ agentId: 'searcher' });
    expect(await agents()).toHaveLength(7);
  });

  it('make nobody wait for the row of one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        acme.call('POST', '/v1/watches', {
          agentId: `agent-${i % 2}`,
          targetType: 'query',
          query: { query: `question ${i}` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await kinds()).toMatchObject({ 'agent-0': 'watch', 'agent-1': 'watch' });
  });

  it('are read by an index, however many there are', async () => {
    await asOwner(
      `insert into agent_activity (tenant_id, agent_id, last_active_at, kind)
       select 'acme', 'a-' || n, now() - n * interval '1 second', 'retrieval' from generate_series(1, 100000) n`,
    );
    await asOwner('analyze agent_activity');
    const plan = await api.database.query<{ 'QUERY PLAN': string }>(
      `explain select agent_id from agent_activity where tenant_id = 'acme' and (last_active_at, agent_id) < (now(), 'a') order by last_active_at desc, agent_id desc limit 50`,
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('agent_activity_list');
    const first = (await acme.call('GET', '/v1/home?limit=200')).body;
    const second = (await acme.call('GET', `/v1/home?limit=200&cursor=${first.next_cursor}`)).body;
    const ids = [...first.agents, ...second.agents].map(({ agentId }: any) => agentId);
    expect([ids.length, new Set(ids).size]).toEqual([400, 400]);
  });

  it('are not listed while the feature is off, and a foreign cursor is refused', async () => {
    const gated = await startApi({ database: api.database, env: { FEATURE_CONTINUITY: '0' } });
    const { status, body } = await gated.tenant.call('GET', '/v1/home');
    expect([status, body.type]).toEqual([412, 'FeatureDisabled']);
    await gated.close();
    const refused = await acme.call('GET', '/v1/home?cursor=x');
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'query.cursor']);
  });
});
