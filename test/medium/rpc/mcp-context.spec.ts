import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { mcpFailure } from '../../kit/mcp-failure.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { expectStatus } from '../shield/given.js';
import { connect, REVISIONS } from './mcp-clients.js';

let api: TestApi;
let tools: TestTools;
let acme: TestTenant;
let other: TestTenant;
const DOCS = ['leave', 'a/b c#1', 'Ærø'];
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: '0' } });
  acme = api.tenant;
  other = await api.addTenant('other', 'free');
  for (const docId of DOCS) {
    const document = { corpusId: 'handbook', docId, title: `On ${docId}`, url: 'https://example.org/' };
    const { body } = await expectStatus(
      202,
      acme.call('POST', '/v1/ingest', { ...document, tenantId: 'acme', content: `This is ${docId}.` }),
    );
    for (let status = 'queued'; status !== 'completed';)
      status = (await acme.call('GET', `/v1/ingest/${body.ingestId}`)).body.status;
  }
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const MISMATCHES = [
  ['prompts/get', { name: 'session_start', arguments: { agent_id: 7 } }, 'params.arguments.agent_id must be a string'],
  ['prompts/get', { name: 'session_start', arguments: 'builder' }, 'params.arguments must be an object'],
  ['prompts/get', { arguments: {} }, 'params.name is required, and must be a string'],
  ['resources/read', { uri: 7 }, 'params.uri must be a string'],
  ['resources/list', { cursor: 7 }, 'params.cursor must be a string'],
  ['tools/list', { cursor: {} }, 'params.cursor must be a string'],
  ['tools/call', { name: ['search'] }, 'params.name must be a string'],
  ['tools/call', { name: 'search', arguments: 'leave' }, 'params.arguments must be an object'],
] as const;

describe.each(REVISIONS)('a client of %s', (revision) => {
  it('lists the documents of its tenant as resources, and reads each', async () => {
    const mcp = await connect(tools.url, acme, { revision });
    const { resources } = await mcp.listResources();
    expect(resources.map(({ name, title }) => [name, title])).toEqual(DOCS.map((id) => [id, `On ${id}`]));
    for (const { uri, name } of resources)
      expect((await mcp.readResource({ uri })).contents).toEqual([
        { uri, mimeType: 'text/plain', text: `This is ${name}.` },
      ]);
    const { resourceTemplates } = await mcp.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['svc://documents/{corpus_id}/{doc_id}']);
    await mcp.close();
  });

  it('finds nothing of another tenant, and nothing where nothing is', async () => {
    const mcp = await connect(tools.url, other, { revision });
    expect((await mcp.listResources()).resources).toEqual([]);
    for (const uri of ['svc://documents/handbook/leave', 'svc://documents/handbook/..', 'svc://facts/x', 'test://x']) {
      const { code, data } = await mcpFailure(mcp.readResource({ uri }));
      expect([code, data]).toEqual([-32602, { uri }]);
    }
    await mcp.close();
  });

  it('starts a session by a prompt', async () => {
    const mcp = await connect(tools.url, acme, { revision });
    const { prompts } = await mcp.listPrompts();
    expect(prompts).toMatchObject([{ name: 'session_start', arguments: [{ name: 'agent_id', required: true }] }]);
    const { messages } = await mcp.getPrompt({ name: 'session_start', arguments: { agent_id: 'builder' } });
    expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text' } });
    expect((messages[0]!.content as { text: string }).text).toMatch(/^What is known[\s\S]*\{.*\}$/);
    expect((await mcpFailure(mcp.getPrompt({ name: 'session_start' }))).code).toBe(-32602);
    expect((await mcpFailure(mcp.getPrompt({ name: 'other' }))).code).toBe(-32602);
    await mcp.close();
  });

  it.each(MISMATCHES)('names the parameter that is of a wrong type: %s %j', async (method, params, message) => {
    const mcp = await connect(tools.url, acme, { revision });
    const { code, message: said } = await mcpFailure(mcp.request({ method, params } as never));
    expect([code, said]).toEqual([-32602, `Invalid params: ${message}`]);
    await mcp.close();
  });
});

it('takes a document by a tool that is as large as the API takes', async () => {
  const mcp = await connect(tools.url, acme);
  const content = 'A line of the log.\n'.repeat(220_000).slice(0, 4 * 1024 * 1024);
  const given = { title: 'The log', doc_id: 'log', corpus_id: 'logs', content, wait_seconds: 0 };
  const done = await mcp.callTool({ name: 'ingest', arguments: given });
  expect(done).toMatchObject({ isError: false, structuredContent: { id: 'logs/log' } });
  await mcp.close();
});
