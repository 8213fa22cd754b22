import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';

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
  headers: Record<string, string> = { 'x-svc-scopes': ALL_SCOPES },
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const answerOf = (result: any) => result.structuredContent;
const problemOf = (result: any) => result._meta['svc/problem'];

const TOOLS = [
  'store_fact',
  'search_facts',
  'get_fact',
  'retire_fact',
  'relate',
  'expand',
  'record_receipt_lookup',
  'verify_receipt',
];

describe.each(['auto', 'legacy'] as const)('the MCP listener, a client of the mode %s', (mode) => {
  it('lists its eight tools, each with the schemas of its route', async () => {
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

  it('tells a wrong call in the words of its route', async () => {
    const client = await connect(undefined, mode);
    const wrong = await client.callTool({ name: 'store_fact', arguments: { entity: 'e', key: 7, value: 'v' } });
    expect([wrong.isError, problemOf(wrong).issues[0].path]).toEqual([true, 'body.key']);
    const unknown = await client.callTool({ name: 'get_fact', arguments: { factId: 'x' } });
    expect([unknown.isError, problemOf(unknown).detail]).toEqual([true, expect.stringContaining('factId')]);
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/Unknown tool/);
  });
});

describe('the MCP listener', () => {
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
