import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgent, type TestAgent } from '../../kit/agent.js';
import { send } from '../../kit/app.js';
import { asSuperuser } from '../../kit/database.js';
import { startTools } from '../../kit/tools.js';
import { HoldingProxy } from '../rpc/holding-proxy.js';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startAgent();
}, 120_000);
afterAll(() => agent.close());

let keys = 0;
const newKey = (): string => `effect-${(keys += 1)}-of-an-agent`;

/** One call by POST /rpc: its result and whether its header marks it as repeated, or its error. */
async function call(
  method: string,
  params: object,
  more: Record<string, string> = {},
  url = agent.tools.url,
): Promise<any> {
  const { tenantId, apiKey } = agent.api.tenant;
  const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey, ...more };
  const line = { jsonrpc: '2.0', id: 1, method, params };
  const { body, headers: answered } = await send(url, 'POST', '/rpc', line, headers);
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

it('calls that wait for a server with their keys held leave places for those of others', async () => {
  const proxy = await HoldingProxy.before(agent.daemon.url);
  proxy.holds = (called) => called === 'PUT /v1/facts';
  const env = { SVC_DAEMON_URL: proxy.url, SVC_DATABASE_POOL_SIZE: '4', SVC_TOOLS_RATE_LIMIT: '0' };
  const tools = await startTools(agent.api, { env });
  const remember = (n: number): Promise<any> =>
    call('remember', { entity: 'stair', key: `step-${n}`, value: 'oak', idempotency_key: newKey() }, {}, tools.url);
  const held = Array.from({ length: 6 }, (_, n) => remember(n));
  await expect.poll(() => proxy.held.length, { timeout: 20_000 }).toBe(1);
  const found = await call('search', { query: 'stair', in: 'documents' }, {}, tools.url);
  expect([found.error, proxy.maxAtOnce]).toEqual([undefined, 1]);
  proxy.letAllGo();
  for (const { error } of await Promise.all(held)) expect(error).toBeUndefined();
  await tools.close();
  await proxy.close();
});

it('a key is held for as long as its requests may take, and an answer that cannot be stored is given all the same', async () => {
  await asSuperuser(
    agent.api.database,
    `create table seen_bound (bound text);
    create function fail_to_store() returns trigger language plpgsql security definer as $$ begin
      if new.idempotency_key like 'lost-%' then raise 'not now'; end if;
      insert into seen_bound values (current_setting('idle_in_transaction_session_timeout'));
      return new; end $$;
    create trigger fail_to_store before insert on idempotent_request for each row
      when (new.method = 'TOOL') execute function fail_to_store()`,
  );
  await call('remember', { entity: 'bell', key: 'tone', value: 'low', idempotency_key: newKey() });
  expect(await asSuperuser(agent.api.database, 'select bound from seen_bound')).toEqual([{ bound: '4min' }]);
  const created = { action: 'create', text: 'Ring the bell', idempotency_key: 'lost-key-1' };
  for (const [tool, given] of [
    ['work', created],
    ['ingest', { title: 'Bell', content: 'It rang.', idempotency_key: 'lost-key-2' }],
  ] as const)
    expect((await call(tool, given)).error).toBeUndefined();
});
