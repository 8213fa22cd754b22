import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { HS256_ENV, hs256 } from '../daemon-auth/given.js';

let daemon: TestDaemon;
const clients: Client[] = [];
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await daemon.close();
});

/** The official client, of the newest revision or of the one before. */
async function connect(
  headers: Record<string, string> = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tool-set': 'daemon' },
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const answerOf = (result: any) => result.structuredContent;
const problemOf = (result: any) => result._meta['svc/problem'];

/** A call of search_facts with headers as they are, also twice the same. */
function searchRaw(url: string, headers: string[]): Promise<{ result: any; requestId: unknown }> {
  const required = ['host', new URL(url).host, 'content-type', 'application/json'];
  const accept = ['accept', 'application/json, text/event-stream'];
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: [...required, ...accept, ...headers] }, (answer) => {
      text(answer).then((stream) => {
        const [, data] = /^data: (.*)$/m.exec(stream)!;
        resolve({ result: JSON.parse(data!).result, requestId: answer.headers['x-request-id'] });
      }, reject);
    });
    const params = { name: 'search_facts', arguments: {} };
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  });
}

const TOOLS = [
  'store_fact',
  'search_facts',
  'get_fact',
  'retire_fact',
  'relate',
  'expand',
  'record_receipt_lookup',
  'verify_receipt',
  'announce_intent',
  'list_work',
  'update_work',
  'comment_work',
  'list_pending_gates',
  'decide_gate',
  'claim_next_work',
  'renew_lease',
  'release_work',
  'acquire_path',
  'release_path',
  'open_step',
  'close_step',
  'sign_content',
  'verify_content',
  'open_incident',
  'extract_memories',
  'list_candidates',
  'decide_candidates',
  'resolve_engrams',
  'init_session',
  'record_case',
  'find_cases',
  'assemble_context',
  'read_project',
  'effective_layers',
  'project_graph',
  'read_storybook',
  'publish_dossier',
];

describe.each(['auto', 'legacy'] as const)('the MCP listener, a client of the mode %s', (mode) => {
  it('takes a body of a megabyte', async () => {
    const client = await connect();
    const value = 'a'.repeat(1_000_000);
    const stored = await client.callTool({
      name: 'store_fact',
      arguments: { entity: 'big:value', key: 'k', value },
    });
    const { fact_id } = answerOf(stored);
    const read = await client.callTool({ name: 'get_fact', arguments: { fact_id } });
    expect(answerOf(read).value).toBe(value);
  });

  it('lists its tools, each with the schemas of its route', async () => {
    const client = await connect(undefined, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect([tool.name, tool.inputSchema.type, tool.outputSchema?.type]).toEqual([tool.name, 'object', 'object']);
      expect(JSON.stringify(tool)).not.toContain('$ref');
    }
    const store = tools.find(({ name }) => name === 'store_fact')!;
    expect(store.inputSchema.required).toEqual(['entity', 'key', 'value']);
  });

  it('stores, finds, reads and retires a fact', async () => {
    const client = await connect(undefined, mode);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    const entity = `lighthouse:${mode}`;
    const stored = answerOf(await call('store_fact', { entity, key: 'lit', value: 'in 1844' }));
    expect(stored).toMatchObject({ entity, key: 'lit', value: 'in 1844' });
    expect(answerOf(await call('search_facts', { query: 'lit', entity, top_k: 3 })).facts).toMatchObject([
      { fact_id: stored.fact_id },
    ]);
    expect(answerOf(await call('get_fact', { fact_id: stored.fact_id }))).toMatchObject({ value: 'in 1844' });
    expect(answerOf(await call('retire_fact', { fact_id: stored.fact_id }))).toMatchObject({ deleted: true });
    const gone = await call('retire_fact', { fact_id: stored.fact_id });
    expect([gone.isError, problemOf(gone).status]).toEqual([true, 404]);
  });

  it('relates artifacts and expands from them', async () => {
    const client = await connect(undefined, mode);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    const tenant_id = `t-${mode}`;
    await call('relate', { tenant_id, from_id: 1, to_id: 2, edge_type: 'cites', confidence: 0.5 });
    const { artifacts } = answerOf(await call('expand', { tenant_id, seed_artifact_ids: [1] }));
    expect(artifacts).toEqual(expect.arrayContaining([expect.objectContaining({ artifact_id: 2, hop_distance: 1 })]));
  });

  it('announces an intent, and hears whom it meets', async () => {
    const client = await connect(undefined, mode);
    const announce = async (session_id: string) =>
      answerOf(
        await client.callTool({ name: 'announce_intent', arguments: { session_id, project_id: mode, paths: ['src'] } }),
      );
    expect(await announce('first')).toMatchObject({ intent: { ttl_seconds: 900 }, overlaps: [], cleared: false });
    const { overlaps } = await announce('second');
    expect(overlaps).toMatchObject([{ session_id: 'first', kind: 'path', mine: 'src', theirs: 'src' }]);
  });

  it('answers a wrong call with the problem of its route', async () => {
    const client = await connect(undefined, mode);
    const wrong = await client.callTool({ name: 'store_fact', arguments: { entity: 'e', key: 7, value: 'v' } });
    expect([wrong.isError, problemOf(wrong).issues[0].path]).toEqual([true, 'body.key']);
    const unknown = await client.callTool({ name: 'get_fact', arguments: { factId: 'x' } });
    expect(unknown.isError).toBe(true);
    expect(problemOf(unknown)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      issues: [{ path: 'arguments.factId', message: 'is no argument of get_fact, which takes fact_id' }],
    });
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/Unknown tool/);
  });
});

describe('the arguments of a tool', () => {
  const UNFIT: [tool: string, argument: string, value: unknown][] = [
    ['get_fact', 'fact_id', 'list'],
    ['get_fact', 'fact_id', 'export'],
    ['get_fact', 'fact_id', '.'],
    ['retire_fact', 'fact_id', '..'],
    ['record_receipt_lookup', 'receipt_id', 'list'],
    ['verify_receipt', 'receipt_id', '..'],
    ['get_fact', 'fact_id', ''],
    ['get_fact', 'fact_id', 7],
    ['get_fact', 'fact_id', null],
    ['search_facts', 'query', null],
    ['search_facts', 'entity', { prefix: 'e' }],
    ['search_facts', 'entity', ['e']],
  ];

  it.each(UNFIT)('%s does not go to another address and says what is wrong: %s %j', async (name, argument, value) => {
    const client = await connect();
    const given = name.includes('receipt') ? { [argument]: value, tenant_id: 't' } : { [argument]: value };
    const refused = await client.callTool({ name, arguments: given });
    expect([refused.isError, problemOf(refused).status]).toEqual([true, 400]);
    expect(problemOf(refused).issues).toMatchObject([{ path: `arguments.${argument}` }]);
  });

  it('may be ids of any spelling', async () => {
    const client = await connect();
    for (const fact_id of ['lists', 'a/b', '%2e%2e', 'list?limit=1', ':factId/..', 'ü 😀', '$&']) {
      const { status, code } = problemOf(await client.callTool({ name: 'get_fact', arguments: { fact_id } }));
      expect([fact_id, status, code]).toEqual([fact_id, 404, 'FACT_NOT_FOUND']);
    }
  });
});

describe('the MCP listener', () => {
  it('hands on a header that came twice as it came, under the id of its own request', async () => {
    const strict = await startDaemon({ database: daemon.database, env: HS256_ENV, tenants: ['alfa'] });
    const bearer = ['authorization', `Bearer ${await hs256()}`];
    expect((await searchRaw(strict.mcpUrl, bearer)).result.isError).toBe(false);
    const { result, requestId } = await searchRaw(strict.mcpUrl, [...bearer, ...bearer]);
    expect(problemOf(result)).toMatchObject({
      status: 401,
      detail: 'Authorization was sent more than once',
      request_id: requestId,
    });
    await strict.close();
  });

  it('asks what each route asks: scopes, passport, tenant', async () => {
    const reader = await connect({ 'x-svc-scopes': 'query:read' });
    const refused = await reader.callTool({ name: 'store_fact', arguments: { entity: 'e', key: 'k', value: 'v' } });
    expect(problemOf(refused)).toMatchObject({ status: 403, missingAnyScope: ['facts:write', 'admin:write'] });
    const nobody = await connect({});
    expect(problemOf(await nobody.callTool({ name: 'search_facts', arguments: {} }))).toMatchObject({ status: 401 });
    const writer = await connect({ 'x-svc-scopes': 'facts:write query:read', 'x-svc-passport-id': 'ada' });
    const stored = await writer.callTool({
      name: 'store_fact',
      arguments: { entity: 'e', key: 'k', value: 'v', private: true },
    });
    expect(answerOf(stored)).toMatchObject({ actor: 'ada', private: true });
    const other = await connect({ 'x-svc-scopes': 'query:read', 'x-svc-passport-id': 'bob' });
    const hidden = await other.callTool({ name: 'get_fact', arguments: { fact_id: answerOf(stored).fact_id } });
    expect(problemOf(hidden)).toMatchObject({ status: 404 });
  });

  it('serves nothing but POST /mcp, and none of it stands on the HTTP listener', async () => {
    const origin = new URL(daemon.mcpUrl).origin;
    const elsewhere = await send(origin, 'GET', '/v1/facts');
    expect([elsewhere.status, elsewhere.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(elsewhere.body.detail).toContain('POST /mcp');
    expect((await send(origin, 'GET', '/mcp')).status).toBe(405);
    expect((await daemon.call('POST', '/mcp', {})).status).toBe(404);
  });

  it('keeps out pages of other servers, and what is not JSON', async () => {
    const post = (headers: Record<string, string>, body = '{}') =>
      fetch(daemon.mcpUrl, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({}, '{"jsonrpc":')).status).toBe(400);
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('is not there while its flag is off', async () => {
    const without = await startDaemon({ database: daemon.database, env: { SVCD_MCP_ENABLED: '0' } });
    expect(without.mcpUrl).toBe('');
    await without.close();
  });
});
