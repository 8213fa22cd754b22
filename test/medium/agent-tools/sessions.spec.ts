import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgent, type CallTool, type TestAgent } from '../../kit/agent.js';
import { ALL_SCOPES } from '../../kit/daemon.js';

let agent: TestAgent;
let call: CallTool;
beforeAll(async () => {
  agent = await startAgent();
  ({ call } = agent);
  await agent.ingest('buoy', 'The buoy is green.');
}, 120_000);
afterAll(() => agent.close());

const ada = { agent_id: 'ada' };

describe('a session', () => {
  it('begins without a name among those who are there', async () => {
    expect((await call('start_session')).text).toContain('Nobody has been here yet');
    await call('search', { query: 'buoy', ...ada });
    await call('remember', { entity: 'buoy', key: 'mood', value: 'calm', agent_id: 'bob' });
    await expect
      .poll(async () => (await call('start_session')).text, { timeout: 10_000 })
      .toMatch(/ada: .*\nbob: |bob: .*\nada: /);
  });

  it('of a name that nobody has says so', async () => {
    expect((await call('start_session', { agent_id: 'eve' })).text).toContain('You are eve.');
  });

  it('shows what an agent noted, holds and watches, within its budget', async () => {
    await call('remember', { as: 'goal', key: 'buoys', value: 'Know every buoy.', ...ada });
    const { data } = await call('work', { action: 'create', text: 'Count the buoys', ...ada });
    await call('work', { action: 'claim', work_id: data.work_id, ...ada });
    const { text } = await call('start_session', ada);
    for (const part of ['Know every buoy.', 'Count the buoys', 'under fence', 'buoy mood = calm', 'credits'])
      expect(text).toContain(part);
    const small = await call('start_session', { ...ada, token_budget: 200 });
    expect(small.text).toContain('more were left out');
  });

  it('shows open work, however much the agent has done before', async () => {
    const by = agent.daemon.as({ scopes: ALL_SCOPES, tenant: agent.api.tenant.tenantId });
    const create = async (title: string, state: string) => {
      const item = { project_id: 'fog', title, state, created_by_passport: 'eve', assignee_passport: 'eve' };
      expect((await by('POST', '/v1/work', item)).status).toBe(200);
    };
    for (let i = 0; i < 21; i++) await create(`Old ${i}`, 'cancelled');
    await create('Mend the fog horn', 'ready');
    for (let i = 0; i < 21; i++) await create(`Some day ${i}`, 'backlog');
    const { text } = await call('start_session', { agent_id: 'eve', token_budget: 5000 });
    expect(text).toContain('Mend the fog horn');
    expect(text).toContain('There is more of it (backlog): work lists all');
    expect(text).not.toContain('Old 1');
  });

  it('has the old and the new text of what was watched', async () => {
    const { data } = await call('search', { query: 'colour of the buoy', in: 'documents', ...ada });
    await call('watch', { id: data.results[0].id, note: 'paint', ...ada });
    await agent.ingest('buoy', 'The buoy is yellow.');
    await expect.poll(async () => (await call('whats_new', ada)).text, { timeout: 20_000 }).toContain('yellow');
    const { text } = await call('whats_new', ada);
    expect(text).toContain('The buoy is green.');
    expect(text).toContain('paint');
    expect((await call('whats_new', { ...ada, since: '2100-01-01T00:00:00Z' })).text).toContain(
      'Nothing changed for ada',
    );
    expect((await call('start_session', ada)).text).toContain('yellow');
  });
});

describe('a fact with a source', () => {
  it('says so when its source has changed', async () => {
    await agent.ingest('lamp', 'The lamp burns oil.');
    const { data } = await call('search', { query: 'what does the lamp burn', in: 'documents' });
    const fact = await call('remember', { entity: 'lamp', key: 'fuel', value: 'oil', sources: [data.results[0].id] });
    expect((await call('read', { id: fact.data.id })).text).toContain('holds');
    await agent.ingest('lamp', 'The lamp burns gas.');
    expect((await call('read', { id: fact.data.id })).text).toContain('CHANGED');
    expect((await call('search', { query: 'lamp fuel', in: 'facts' })).text).toContain('its source has CHANGED');
    expect((await call('prove', { id: fact.data.id })).data.verdict).toBe('drifted');
  });

  it('is refused where the source is none', async () => {
    const { text, isError } = await call('remember', { entity: 'e', key: 'k', value: 'v', sources: ['notes/none'] });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^remember: sources\[0\] /)]);
  });
});

describe('facts', () => {
  it('are never silently absent', async () => {
    const { text, data } = await call('search', { query: 'zzyzx quux', in: 'facts' });
    expect([data.fit, data.facts_matched, data.results.length > 0]).toEqual(['none', false, true]);
    expect(text).toContain('No fact has a word of the query');
  });

  it('are stored only over the version that was meant', async () => {
    const { data } = await call('remember', { entity: 'sea', key: 'state', value: 'rough' });
    await call('remember', { entity: 'sea', key: 'state', value: 'calm' });
    const late = await call('remember', { entity: 'sea', key: 'state', value: 'flat', expected_fact_id: data.id });
    expect([late.isError, late.text]).toEqual([true, expect.stringContaining('fact:')]);
  });
});

describe('things', () => {
  it('are linked by any two ids, and found from both ends', async () => {
    const fact = await call('remember', { entity: 'reef', key: 'depth', value: '3 m' });
    await call('link', { from_id: fact.data.id, relation: 'about', to_id: 'notes/lamp' });
    await call('link', { from_id: 'notes/lamp', relation: 'kept_by', to_id: 'person:ada' });
    const { text, data } = await call('related', { id: 'person:ada', hops: 2 });
    expect(text).toContain(`${fact.data.id} about notes/lamp`);
    expect(data.links).toHaveLength(2);
    const wrong = await call('link', { from_id: 'notes/none', relation: 'about', to_id: 'person:ada' });
    expect(wrong.text).toContain('link: from_id names nothing that there is');
  });
});
