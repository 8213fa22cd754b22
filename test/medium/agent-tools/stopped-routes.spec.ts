import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgent, type CallTool, type TestAgent } from '../../kit/agent.js';
import { until } from '../../kit/peers.js';
import { expectStatus } from '../shield/given.js';

let agent: TestAgent;
const endpoints: { name: string; call: CallTool }[] = [];
beforeAll(async () => {
  agent = await startAgent();
  const urls = { 'tool service': `${agent.tools.url}/mcp`, daemon: agent.daemon.mcpUrl };
  for (const [name, url] of Object.entries(urls))
    endpoints.push({ name, call: (await agent.connect(agent.api.tenant, url)).call });
  await agent.ingest('skerryvore', 'The lighthouse was lit in 1844.');
}, 120_000);
afterAll(() => agent.close());

const stop = (target: string) =>
  expectStatus(
    201,
    agent.api.tenant.call('POST', '/v1/shield/kill-switches', { scope: 'action', target, reason: 'An incident' }),
  );
/** The code of a failure, whether it is the tool's own or one of the protocol; 0 without one. */
const codeOf = (call: CallTool, name: string, given: object): Promise<number> =>
  call(name, given).then(
    ({ isError, error }) => (isError ? error.code : 0),
    (error: { code: number }) => error.code,
  );

it('a switch on a route that reads stops the tools that ask it after another one, at either endpoint', async () => {
  const read = (call: CallTool) => codeOf(call, 'read', { id: 'notes/skerryvore' });
  for (const { name, call } of endpoints) expect([name, await read(call)]).toEqual([name, 0]);
  await stop('GET /v1/documents/*');
  for (const { name, call } of endpoints) {
    await until(async () => (await read(call)) === -32003);
    expect([name, await read(call)]).toEqual([name, -32003]);
  }
});

it('a search fails with the refusal where no place let it look', async () => {
  const client = new Client({ name: 'test', version: '1' });
  // One that the daemon knows by its own word alone, and the API not at all.
  const headers = { 'x-svc-scopes': 'query:read facts:read' };
  await client.connect(new StreamableHTTPClientTransport(new URL(agent.daemon.mcpUrl), { requestInit: { headers } }));
  const search = async (place: string) => {
    const given = { name: 'search', arguments: { query: 'lighthouse', in: place } };
    const answer = await client.callTool(given).catch((error: Error) => error);
    return answer instanceof Error || answer.isError === true ? 'failed' : 'answered';
  };
  expect([await search('documents'), await search('facts'), await search('all')]).toEqual([
    ...['failed', 'answered', 'answered'],
  ]);
  await client.close();
});
