import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { mcpFailure } from '../../kit/mcp-failure.js';
import { expectStatus } from '../shield/given.js';

let daemon: TestDaemon;
const clients: Client[] = [];
const ids: string[] = [];
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['acme', 'globex'] });
  const acme = daemon.as({ scopes: ALL_SCOPES, tenant: 'acme' });
  for (let n = 0; n < 60; n += 1) {
    const { body } = await acme('PUT', '/v1/facts', { entity: 'user:ada', key: `k${n}`, value: `value ${n}` });
    ids.push(body.fact_id);
  }
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await daemon.close();
});

async function connect(headers: Record<string, string>, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const ACME = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme' };
const uriOf = (id: string) => `svc://facts/${id}`;

describe.each(['auto', 'legacy'] as const)('resources of the daemon, a client of the mode %s', (mode) => {
  it('are the facts of the tenant, page by page', async () => {
    const client = await connect(ACME, mode);
    const found: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
      found.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(ids.map(uriOf).toReversed());
  });

  it('are read whole, by what the templates say', async () => {
    const client = await connect(ACME, mode);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining(['svc://facts/{fact_id}', 'svc://entities/{entity}/facts']),
    );
    const { contents } = await client.readResource({ uri: uriOf(ids[3]!) });
    expect(contents).toMatchObject([{ uri: uriOf(ids[3]!), mimeType: 'application/json' }]);
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ fact_id: ids[3], value: 'value 3' });
    const entity = await client.readResource({ uri: 'svc://entities/user%3Aada/facts' });
    expect(JSON.parse((entity.contents[0] as { text: string }).text).facts.length).toBe(60);
  });

  it.each([
    'svc://facts/0190a000-0000-7000-8000-000000000000',
    'svc://facts/list',
    'svc://facts/..',
    'svc://facts',
    'svc://other/x',
    'test://nothing',
    'svc://engrams/no-such-engram',
  ])('are not found where there are none: %s', async (uri) => {
    const client = await connect(ACME, mode);
    const { code, data } = await mcpFailure(client.readResource({ uri }));
    expect([code, data]).toEqual([-32602, { uri }]);
  });
});

describe('parameters of a wrong type', () => {
  it.each([
    [
      'prompts/get',
      { name: 'session_start', arguments: { agent_id: 7 } },
      'params.arguments.agent_id must be a string',
    ],
    ['resources/read', {}, 'params.uri is required, and must be a string'],
    ['tools/call', { name: 'search', arguments: [] }, 'params.arguments must be an object'],
  ])('are named: %s %j', async (method, params, message) => {
    const client = await connect(ACME);
    const { code, message: said } = await mcpFailure(client.request({ method, params } as never));
    expect([code, said]).toEqual([-32602, `Invalid params: ${message}`]);
  });
});

describe('who asks', () => {
  it('sees what it may see over HTTP', async () => {
    const globex = await connect({ ...ACME, 'x-svc-scopes': 'query:read', 'x-svc-tenant-id': 'globex' });
    expect((await globex.listResources()).resources).toEqual([]);
    expect((await mcpFailure(globex.readResource({ uri: uriOf(ids[0]!) }))).code).toBe(-32602);
    const none = await connect({ ...ACME, 'x-svc-scopes': 'receipts:read' });
    const refused = await mcpFailure(none.readResource({ uri: uriOf(ids[0]!) }));
    expect(refused.code).toBe(-32600);
    expect(refused.data).toMatchObject({ problem: { status: 403, missingAnyScope: ['query:read', 'admin:read'] } });
    expect((await none.listResources()).resources).toEqual([]);
  });

  it('is answered a problem for a cursor of its own making', async () => {
    const client = await connect(ACME);
    const { code } = await mcpFailure(client.request({ method: 'resources/list', params: { cursor: 'mine' } }));
    expect(code).toBe(-32602);
  });
});

describe('prompts of the daemon', () => {
  const CONTENT = 'Read the diff twice.\n\nSay what is missing.';
  beforeAll(async () => {
    const acme = daemon.as({ scopes: ALL_SCOPES, tenant: 'acme' });
    for (const name of ['code-review', 'release'])
      await expectStatus(
        200,
        acme('PUT', `/v1/entities/engram/${name}`, {
          payload: { description: `How to do ${name}`, content: CONTENT, enabled: true },
        }),
      );
  });

  it('are the starts of a session and in a project, and the engrams of the tenant', async () => {
    const client = await connect(ACME);
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: 'session_start', arguments: [{ name: 'agent_id' }, { name: 'model_id' }] },
      { name: 'project_start', arguments: [{ name: 'project_id', required: true }, { name: 'plane_id' }] },
      { name: 'code-review', description: 'How to do code-review' },
      { name: 'release', description: 'How to do release' },
    ]);
    const { messages, description } = await client.getPrompt({ name: 'code-review' });
    expect([description, messages]).toEqual([
      'How to do code-review',
      [{ role: 'user', content: { type: 'text', text: CONTENT } }],
    ]);
    expect((await client.readResource({ uri: 'svc://engrams/release' })).contents).toEqual([
      { uri: 'svc://engrams/release', mimeType: 'text/markdown', text: CONTENT },
    ]);
  });

  it('start a session with what there is to know', async () => {
    const client = await connect(ACME);
    const given = { agent_id: 'builder', model_id: 'any-model' };
    const { messages } = await client.getPrompt({ name: 'session_start', arguments: given });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: expect.stringMatching(/\S/) } }]);
  });

  it('are those of the tenant alone, for whoever may read them', async () => {
    const globex = await connect({ ...ACME, 'x-svc-tenant-id': 'globex' });
    expect((await globex.listPrompts()).prompts.map(({ name }) => name)).toEqual(['session_start', 'project_start']);
    for (const name of ['code-review', 'no_such_prompt', '../facts'])
      expect((await mcpFailure(globex.getPrompt({ name }))).code).toBe(-32602);
    const none = await connect({ ...ACME, 'x-svc-scopes': 'receipts:read' });
    expect((await mcpFailure(none.getPrompt({ name: 'code-review' }))).code).toBe(-32600);
    expect((await none.listPrompts()).prompts.map(({ name }) => name)).not.toContain('code-review');
  });
});

it('says what it has, and that nothing may be kept', async () => {
  const client = await connect(ACME);
  expect(client.getServerCapabilities()).toEqual({
    tools: { listChanged: false },
    prompts: { listChanged: false },
    resources: { listChanged: false, subscribe: false },
  });
  expect(await client.listResources()).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
});
