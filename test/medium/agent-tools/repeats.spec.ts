import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgent, type TestAgent } from '../../kit/agent.js';
import { send } from '../../kit/app.js';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startAgent();
}, 120_000);
afterAll(() => agent.close());

let keys = 0;
const newKey = (): string => `effect-${(keys += 1)}-of-an-agent`;

/** One call by POST /rpc: its result and whether its header marks it as repeated, or its error. */
async function call(method: string, params: object, more: Record<string, string> = {}): Promise<any> {
  const { tenantId, apiKey } = agent.api.tenant;
  const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey, ...more };
  const line = { jsonrpc: '2.0', id: 1, method, params };
  const { body, headers: answered } = await send(agent.tools.url, 'POST', '/rpc', line, headers);
  if (body.error) return { error: body.error.data };
  expect(answered.get('x-idempotency-replayed')).toBe(body.result.repeated ? 'true' : null);
  return body.result;
}

it.each([
  ['work', { action: 'create', text: 'Paint the tower' }],
  ['remember', { entity: 'tower', key: 'colour', value: 'white' }],
  ['remember', { as: 'goal', key: 'keep', value: 'Keep the light' }],
  ['ingest', { title: 'Log', content: 'A calm night.' }],
  ['link', { from_id: 'person:ada', relation: 'keeps', to_id: 'tower:north' }],
])('%s has one effect a key and answers the same again, over whatever transport: %j', async (tool, given) => {
  const keyed = { ...given, idempotency_key: newKey() };
  const first = await call(tool, keyed);
  expect([first.error, first.repeated]).toEqual([undefined, undefined]);
  expect(await call(tool, keyed)).toEqual({ ...first, repeated: true });
  const { idempotency_key: key } = keyed;
  expect(await call(tool, given, { 'x-idempotency-key': key })).toEqual({ ...first, repeated: true });
  const { client } = await agent.connect(agent.api.tenant);
  const { text, ...data } = first;
  expect(await client.callTool({ name: tool, arguments: keyed })).toMatchObject({
    content: [{ text }],
    structuredContent: { ...data, repeated: true },
    _meta: { 'svc/replayed': true },
  });
});

it('a key that stands for other arguments, or that is none, is refused', async () => {
  const given = { entity: 'lamp', key: 'colour', value: 'red', idempotency_key: newKey() };
  await call('remember', given);
  expect((await call('remember', { ...given, value: 'green' })).error).toMatchObject({
    type: 'IdempotencyKeyReused',
    status: 422,
  });
  for (const key of [7, 'abc', null, 'größer als']) {
    const { error } = await call('remember', { ...given, idempotency_key: key });
    expect([key, error?.type]).toEqual([key, 'IdempotencyKeyRequired']);
  }
  const other = await call('remember', given, { 'x-idempotency-key': newKey() });
  expect(other.error.message).toContain('differ');
});

it('two calls at once with one key have one effect, and a failure is tried again', async () => {
  const keyed = { action: 'create', text: 'Polish the lens', idempotency_key: newKey() };
  const both = await Promise.all([call('work', keyed), call('work', keyed)]);
  const work_id = both.find((one) => one.work_id !== undefined).work_id;
  for (const { error, work_id: id } of both)
    expect(error ? error.type : id).toBe(error ? 'IdempotencyInProgress' : work_id);
  const { work } = await call('work', { action: 'list' });
  expect(work.filter((one: any) => one.work_id === work_id)).toHaveLength(1);

  const { fence } = await call('work', { action: 'claim', work_id, agent_id: 'ada' });
  const claim = { action: 'claim', work_id, agent_id: 'bob', idempotency_key: newKey() };
  expect((await call('work', claim)).error.status).toBe(409);
  await call('work', { action: 'release', work_id, agent_id: 'ada', fence });
  expect((await call('work', claim)).fence).toBeGreaterThan(fence);
});

it('more_tools hands the key on, and marks the repeat', async () => {
  const given = { action: 'create', text: 'Oil the hinges' };
  const create = { tool: 'work', arguments: given, idempotency_key: newKey() };
  const first = await call('more_tools', create);
  expect([first.error, first.repeated]).toEqual([undefined, undefined]);
  expect(await call('more_tools', create)).toEqual({ ...first, repeated: true });
  const missing = await call('more_tools', { tool: 'tip_platform', arguments: { agent_id: 'ada', credits: 5 } });
  expect(missing.error.type).toBe('IdempotencyKeyRequired');
  const keyed = { tool: 'tip_platform', arguments: { agent_id: 'ada', credits: 5 }, idempotency_key: newKey() };
  expect((await call('more_tools', keyed)).error?.type).not.toBe('IdempotencyKeyRequired');
});
