import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { whileLocked } from '../../kit/held-lock.js';

let daemon: TestDaemon;
let acme: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_OPENAI_SHIM: '1' }, tenants: ['acme', 'globex'] });
  acme = daemon.as({ scopes: ALL_SCOPES, tenant: 'acme' });
});
afterAll(() => daemon.close());

const invoke = async (body: object, by = acme): Promise<any> => {
  const { status, body: answer } = await by('POST', '/v1/openai/invoke', body);
  expect([status, answer.detail]).toEqual([200, undefined]);
  return answer;
};
const call = (id: string, name: string, given: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
});

describe('tools.json', () => {
  it('has the tools of the MCP listener, in the form of functions', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tool-set': 'daemon' } };
    await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit }));
    const { tools } = await client.listTools();
    await client.close();
    const { body } = await acme('GET', '/v1/openai/tools.json');
    expect(body.tools.map(({ function: { name } }: any) => name)).toEqual(tools.map(({ name }) => name));
    for (const [place, { type, function: described, ...rest }] of body.tools.entries()) {
      expect([type, rest]).toEqual(['function', {}]);
      expect(described.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(described).toMatchObject({
        description: tools[place]!.description,
        parameters: tools[place]!.inputSchema,
      });
    }
    const store = body.access.find(({ name }: any) => name === 'store_fact');
    expect(store).toEqual({
      name: 'store_fact',
      rule: 'any',
      scopes: ['facts:write', 'admin:write'],
      read_only: false,
    });
  });

  it('has them in the form of Responses as well', async () => {
    const { body } = await acme('GET', '/v1/openai/tools.json?form=responses');
    expect(body.tools[0]).toMatchObject({ type: 'function', name: 'store_fact', strict: expect.any(Boolean) });
    expect(body.tools[0].function).toBeUndefined();
  });
});

describe('invoke', () => {
  it('makes the calls of a message in their order, and answers the messages that go back', async () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [
        call('call_a', 'store_fact', { entity: 'user:ada', key: 'city', value: 'London' }),
        call('call_b', 'search_facts', { query: 'London', entity: 'user:ada' }),
      ],
    };
    const { messages, results } = await invoke(message);
    expect(messages.map(({ role, tool_call_id }: any) => [role, tool_call_id])).toEqual([
      ['tool', 'call_a'],
      ['tool', 'call_b'],
    ]);
    const [stored, found] = messages.map(({ content }: any) => JSON.parse(content));
    expect(stored).toMatchObject({ entity: 'user:ada', value: 'London' });
    expect(found.facts).toMatchObject([{ fact_id: stored.fact_id }]);
    expect(results).toEqual([
      { tool_call_id: 'call_a', name: 'store_fact', is_error: false, status: null },
      { tool_call_id: 'call_b', name: 'search_facts', is_error: false, status: null },
    ]);
  });

  it('takes one call in every form', async () => {
    const given = JSON.stringify({ query: 'London' });
    const bare = await invoke({ name: 'search_facts', arguments: given });
    expect(bare.messages[0]).toMatchObject({ role: 'tool', tool_call_id: 'call_0' });
    expect((await invoke({ name: 'search_facts', arguments: { query: 'London' } })).messages).toEqual(bare.messages);
    const item = await invoke({
      type: 'function_call',
      call_id: 'c1',
      id: 'fc_1',
      name: 'search_facts',
      arguments: given,
    });
    expect(item.messages[0]).toMatchObject({ type: 'function_call_output', call_id: 'c1', output: expect.any(String) });
    expect((await invoke(call('c2', 'search_facts', {}))).messages[0].tool_call_id).toBe('c2');
  });

  it('answers what fails to the model, and goes on', async () => {
    const broken = { id: 'c2', type: 'function', function: { name: 'get_fact', arguments: '{"fact_id"' } };
    const { messages, results } = await invoke({
      tool_calls: [
        call('c1', 'no_such_tool', {}),
        broken,
        call('c3', 'get_fact', { fact_id: '0190a000-0000-7000-8000-000000000000' }),
        call('c4', 'store_fact', { entity: 'e', key: 7, value: 'v' }),
        call('c5', 'search_facts', { query: 'x' }),
      ],
    });
    expect(results.map(({ is_error, status }: any) => [is_error, status])).toEqual([
      [true, 400],
      [true, 400],
      [true, 404],
      [true, 400],
      [false, null],
    ]);
    expect(messages[1].content).toContain('is not JSON');
    expect(JSON.parse(messages[3].content).issues[0].path).toBe('body.key');
  });

  it('works with the credential of the request: its tenant, its scopes', async () => {
    await invoke(call('c1', 'store_fact', { entity: 'secret', key: 'k', value: 'of acme' }));
    const globex = daemon.as({ scopes: 'query:read', tenant: 'globex' });
    const found = await invoke(call('c1', 'search_facts', { query: 'acme', entity: 'secret' }), globex);
    expect(JSON.parse(found.messages[0].content).facts).toEqual([]);
    const refused = await invoke(call('c1', 'store_fact', { entity: 'e', key: 'k', value: 'v' }), globex);
    expect(refused.results).toMatchObject([{ is_error: true, status: 403 }]);
    const other = daemon.as({ scopes: 'receipts:read', tenant: 'acme' });
    expect((await other('POST', '/v1/openai/invoke', call('c1', 'search_facts', {}))).status).toBe(403);
    expect((await other('GET', '/v1/openai/tools.json')).status).toBe(403);
  });

  it('makes no further call for a client that has gone', async () => {
    const leaving = new AbortController();
    const stored = async (entity: string) =>
      (await acme('GET', `/v1/facts/entity/${entity}`)).body.facts?.length as number | undefined;
    await whileLocked(daemon.database, 'lock table fact in exclusive mode', async (held) => {
      const asked = fetch(`${daemon.url}/v1/openai/invoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme' },
        body: JSON.stringify({
          tool_calls: ['first', 'second'].map((entity) => call(entity, 'store_fact', { entity, key: 'k', value: 'v' })),
        }),
        signal: leaving.signal,
      });
      await held.waitForBlocked(1);
      leaving.abort();
      await expect(asked).rejects.toThrow();
      await sleep(200);
      await held.commit();
    });
    await expect.poll(() => stored('first'), { timeout: 20_000 }).toBe(1);
    await sleep(500);
    expect((await stored('second')) ?? 0).toBe(0);
  });

  it('refuses what holds no calls, naming the member', async () => {
    for (const [body, path] of [
      [{}, 'body'],
      [{ role: 'assistant', content: 'Hello' }, 'body'],
      [{ tool_calls: [] }, 'body.tool_calls'],
      [{ tool_calls: [{ id: 'a' }] }, 'body.tool_calls[0]'],
      [{ tool_calls: [call('a', 'x', {}), call('a', 'x', {})] }, 'body.tool_calls[1].id'],
      [{ tool_calls: [call('a', 'x', {})], name: 'x' }, 'body.tool_calls'],
      [{ tool_calls: 'none' }, 'body.tool_calls'],
      [{ function: { name: 7 } }, 'body.function.name'],
      [{ tool_calls: Array.from({ length: 33 }, (_, n) => call(`c${n}`, 'x', {})) }, 'body.tool_calls'],
    ] as const) {
      const { status, body: problem } = await acme('POST', '/v1/openai/invoke', body);
      expect([path, status, problem.issues[0].path]).toEqual([path, 400, path]);
    }
    expect((await acme('GET', '/v1/openai/tools.json?form=other')).status).toBe(400);
  });
});

it('the shim is not there while its flag is off', async () => {
  const off = await startDaemon();
  try {
    expect((await off.call('GET', '/v1/openai/tools.json')).status).toBe(404);
    expect((await off.call('POST', '/v1/openai/invoke', { name: 'search_facts' })).status).toBe(404);
  } finally {
    await off.close();
  }
});
