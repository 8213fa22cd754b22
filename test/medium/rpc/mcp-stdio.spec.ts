import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';
import { anotherKey, expectStatus, resolve } from '../shield/given.js';
import { envelope, REVISIONS, type Revision } from './mcp-clients.js';

let api: TestApi;
let approver: TestTenant;
beforeAll(async () => {
  api = await startApi();
  approver = await anotherKey(api, api.tenant);
  await expectStatus(
    201,
    api.tenant.call('POST', '/v1/shield/kill-switches', {
      scope: 'action',
      target: 'submit_feature_request',
      mode: 'require_approval',
      reason: 'Requests are reviewed',
    }),
  );
});
afterAll(() => api.close());

const program = () => ({
  command: process.execPath,
  args: [PROGRAM, 'stdio'],
  env: {
    PATH: process.env['PATH'] ?? '',
    SVC_DATABASE_URL: api.database.url,
    SVC_API_URL: api.url,
    MCP_STDIO_API_KEY: api.tenant.apiKey,
    MCP_STDIO_TENANT_ID: api.tenant.tenantId,
    SVC_LOG_LEVEL: 'silent',
  },
});

async function connect(revision: Revision, answer?: (asked: ElicitRequest['params']) => Promise<ElicitResult>) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
    },
  );
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  await client.connect(new StdioClientTransport(program()));
  return client;
}

/** The program with its pipe in our hands. */
function open() {
  const { command, args, env } = program();
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    say: (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: async (): Promise<any> => JSON.parse((await lines.next()).value as string),
    end: async () => {
      child.stdin.end();
      const rest: string[] = [];
      for (let line = await lines.next(); !line.done; line = await lines.next()) rest.push(line.value);
      if (child.exitCode === null) await once(child, 'exit');
      return { rest: rest.map((line) => JSON.parse(line) as unknown), code: child.exitCode };
    },
  };
}
const plain = (id: number, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });

describe.each(REVISIONS)('a client of %s that starts svc stdio', (revision) => {
  it('finds the tools and calls them', async () => {
    const client = await connect(revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...AGENT_TOOL_NAMES]);
    const balance = await client.callTool({ name: 'get_credit_balance', arguments: { agent_id: 'a' } });
    expect(balance).toMatchObject({ isError: false, structuredContent: { agentId: 'a' } });
    expect(await client.callTool({ name: 'query_vault', arguments: {} })).toMatchObject({
      isError: true,
      _meta: { 'svc/error': { code: -32602 } },
    });
    await client.close();
  });

  it('waits with its user for an approval', async () => {
    const client = await connect(revision, async ({ message }) => {
      const [, approvalRequestId] = /approvals\/([0-9a-f-]{36})\/resolve/.exec(message)!;
      await expectStatus(200, resolve(approver, approvalRequestId!));
      return { action: 'accept', content: {} };
    });
    const args = { title: `Wanted over a pipe by ${revision}`, body: 'Because', idempotency_key: crypto.randomUUID() };
    expect(await client.callTool({ name: 'submit_feature_request', arguments: args })).toMatchObject({
      isError: false,
      structuredContent: { title: args.title },
    });
    await client.close();
  });
});

describe('svc stdio', () => {
  it('answers plain JSON-RPC as before, until a client of the protocol begins to speak', async () => {
    const pipe = open();
    pipe.say(plain(1, 'tools/call', { name: 'get_credit_balance', arguments: { agent_id: 'a' } }));
    expect((await pipe.next()).result).toMatchObject({ isError: false, structuredContent: { agentId: 'a' } });
    pipe.say(plain(2, 'ping'));
    expect(await pipe.next()).toMatchObject({ id: 2, error: { code: -32601 } });

    pipe.say({ ...envelope('server/discover'), id: 3 });
    expect(await pipe.next()).toMatchObject({
      id: 3,
      result: { resultType: 'complete', supportedVersions: ['2026-07-28'] },
    });
    pipe.say({ ...envelope('tools/list'), id: 4 });
    expect((await pipe.next()).result).toMatchObject({ resultType: 'complete', ttlMs: 300_000 });
    // A tool by its own name, a batch and what is no JSON are no part of the conversation.
    pipe.say(plain(5, 'get_credit_balance', { agent_id: 'a' }));
    expect(await pipe.next()).toMatchObject({ id: 5, result: { agentId: 'a' } });
    pipe.say([plain(6, 'get_credit_balance', { agent_id: 'a' })]);
    expect(await pipe.next()).toMatchObject([{ id: 6, result: { agentId: 'a' } }]);
    expect(await pipe.end()).toEqual({ rest: [], code: 0 });
  });

  it('answers what it was asked before its input ended, and ends a subscription that is open', async () => {
    const pipe = open();
    pipe.say({ ...envelope('subscriptions/listen', { notifications: { toolsListChanged: true } }), id: 'listen' });
    expect(await pipe.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    for (let id = 1; id <= 5; id += 1)
      pipe.say({ ...envelope('tools/call', { name: 'get_credit_balance', arguments: { agent_id: 'a' } }), id });
    const { rest, code } = await pipe.end();
    const answered = rest.map((line) => (line as { id?: unknown }).id).filter((id) => typeof id === 'number');
    expect([answered.sort(), code]).toEqual([[1, 2, 3, 4, 5], 0]);
  });

  it('does not answer what was cancelled, and answers what comes after it', async () => {
    const pipe = open();
    pipe.say({ ...envelope('tools/call', { name: 'get_credit_balance', arguments: { agent_id: 'a' } }), id: 1 });
    pipe.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    pipe.say({ ...envelope('tools/list'), id: 2 });
    expect(await pipe.next()).toMatchObject({ id: 2, result: { resultType: 'complete' } });
    expect(await pipe.end()).toEqual({ rest: [], code: 0 });
  });
});
