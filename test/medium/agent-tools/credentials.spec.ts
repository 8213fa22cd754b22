import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { callTool, startAgent, type TestAgent } from '../../kit/agent.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { claims, hs256, HS256_ENV } from '../daemon-auth/given.js';

let agent: TestAgent;
let proving: TestDaemon;
beforeAll(async () => {
  agent = await startAgent();
  const env = { ...HS256_ENV, SVC_API_URL: agent.api.url };
  proving = await startDaemon({ database: agent.api.database, env });
  await agent.ingest('skerryvore', 'The lighthouse was lit in 1844.');
}, 120_000);
afterAll(async () => {
  await proving.close();
  await agent.close();
});

/** With headers of its own in place of a key. */
async function callAs(url: string, headers: Record<string, string>, name: string, given: object) {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const answer = await callTool(client, name, given);
  await client.close();
  return answer;
}
const bearer = async (scope: string, tenant = agent.api.tenant.tenantId) => ({
  authorization: `Bearer ${await hs256(claims({ scope, tenant_id: tenant }))}`,
});
const QUERY = { query: 'lighthouse' };

describe('a key of the tenant API at the daemon', () => {
  const byKey = () => ({ 'x-tenant-id': agent.api.tenant.tenantId, 'x-api-key': agent.api.tenant.apiKey });

  it('works as the owner of its tenant, in every mode, and receipts name it', async () => {
    for (const { url } of [agent.daemon, proving]) {
      const stored = await send(url, 'PUT', '/v1/facts', { entity: 'e', key: 'k', value: url }, byKey());
      expect([stored.status, stored.body.written_by]).toEqual([201, `key:${agent.api.tenant.keyId}`]);
    }
  });

  it.each<[string, () => Record<string, string>]>([
    ['a wrong key', () => ({ ...byKey(), 'x-api-key': 'svc_key_wrong_wrong' })],
    ['a key of another tenant', () => ({ ...byKey(), 'x-tenant-id': 'umbrella' })],
    ['a key without a tenant', () => ({ 'x-api-key': agent.api.tenant.apiKey })],
    ['a session token that is none', () => ({ authorization: 'Bearer svc_self_nobody.at-all' })],
  ])('lets nobody in by %s', async (_, headers) => {
    for (const { url } of [agent.daemon, proving])
      expect((await send(url, 'GET', '/v1/facts/list', undefined, headers())).status).toBe(401);
  });

  it('reaches no other tenant', async () => {
    const headers = { ...byKey(), 'x-svc-tenant-id': 'umbrella' };
    expect((await send(proving.url, 'GET', '/v1/facts/list', undefined, headers)).status).toBe(403);
  });

  it('is no credential while SVCD_TENANT_KEYS is off', async () => {
    const off = await startDaemon({ database: agent.api.database, env: { ...HS256_ENV, SVCD_TENANT_KEYS: '0' } });
    expect((await send(off.url, 'GET', '/v1/facts/list', undefined, byKey())).status).toBe(401);
    await off.close();
  });
});

describe('a token of the daemon at its MCP endpoint', () => {
  it('finds documents and facts of its tenant', async () => {
    const found = await callAs(proving.mcpUrl, await bearer('query:read facts:write'), 'search', QUERY);
    expect([found.isError, found.text]).toEqual([false, expect.stringContaining('1844')]);
  });

  it('may at the API what its scopes may here', async () => {
    const document = { title: 'T', content: 'Text.', doc_id: 'by-token' };
    const reader = await callAs(proving.mcpUrl, await bearer('query:read'), 'ingest', document);
    expect([reader.isError, reader.text]).toEqual([true, expect.stringMatching(/^ingest: /)]);
    const writer = await callAs(proving.mcpUrl, await bearer('query:read facts:write'), 'ingest', document);
    expect(writer.data).toMatchObject({ id: 'notes/by-token', status: 'completed' });
  });

  it('links, relates and reads by names and ids of no kind, without the right to read work', async () => {
    const as = async (name: string, given: object) =>
      callAs(proving.mcpUrl, await bearer('query:read facts:read facts:write'), name, given);
    const linked = await as('link', { from_id: 'person:ada', relation: 'keeps', to_id: 'notes/skerryvore' });
    expect([linked.isError, linked.text]).toEqual([false, 'person:ada keeps notes/skerryvore.']);
    expect((await as('related', { id: 'person:ada' })).text).toContain('keeps notes/skerryvore');
    for (const id of [randomUUID(), 'nothing'])
      for (const [name, given] of [
        ['read', { id }],
        ['related', { id }],
        ['link', { from_id: id, relation: 'r', to_id: 'person:ada' }],
      ] as const)
        expect([name, (await as(name, given)).text]).toEqual([name, expect.stringContaining('names nothing')]);
    const named = await as('read', { id: `work:${randomUUID()}` });
    expect([named.isError, named.text]).toEqual([true, expect.not.stringContaining('names nothing')]);
  });

  it('finds nothing of another tenant', async () => {
    await agent.api.addTenant('umbrella');
    const found = await callAs(proving.mcpUrl, await bearer('query:read', 'umbrella'), 'search', QUERY);
    expect(found.data.results).toEqual([]);
  });

  it('is not believed where the daemon believes anybody', async () => {
    const headers = { 'x-svc-scopes': 'query:read facts:write', 'x-svc-tenant-id': agent.api.tenant.tenantId };
    const found = await callAs(agent.daemon.mcpUrl, headers, 'search', QUERY);
    expect(found.text).not.toContain('1844');
    expect(found.text).toContain('x-api-key');
  });

  it('says nothing to the API by a header that it did not sign', async () => {
    const forged = { 'x-svc-delegated-caller': 'e30.aaaa' };
    expect((await send(agent.api.url, 'POST', '/v1/retrieve', QUERY, forged)).status).toBe(401);
  });
});
