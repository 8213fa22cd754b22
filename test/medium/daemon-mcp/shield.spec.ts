import {
  Client,
  StreamableHTTPClientTransport,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type Answer, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { HS256_ENV } from '../daemon-auth/given.js';
import { anotherKey, expectStatus, resolve } from '../shield/given.js';

let api: TestApi;
let daemon: TestDaemon;
let client: Client;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({
    database: api.database,
    env: { ...HS256_ENV, SVC_API_URL: api.url, SVC_TOOLS_RATE_LIMIT: '40', SVCD_OPENAI_SHIM: '1' },
  });
  client = new Client({ name: 'test', version: '1' });
  const headers = { 'x-tenant-id': 'acme', 'x-api-key': api.tenant.apiKey };
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
});
afterAll(async () => {
  await client.close();
  await daemon.close();
  await api.close();
});

const call = (name: string, args: Record<string, unknown>): Promise<any> => client.callTool({ name, arguments: args });
const fact = (key: string) => ({ entity: 'lamp', key, value: 'lit' });

/** A client whose user can be asked. */
async function asker(answer: (asked: ElicitRequest['params']) => Promise<ElicitResult> | ElicitResult) {
  const asking = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  );
  asking.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  const headers = { 'x-tenant-id': 'acme', 'x-api-key': api.tenant.apiKey };
  await asking.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
  return asking;
}

async function stopped(scope: object, work: () => Promise<void>): Promise<void> {
  const made = await api.tenant.call('POST', '/v1/shield/kill-switches', { reason: 'an incident', ...scope });
  expect(made.status).toBe(201);
  try {
    await work();
  } finally {
    const gone = await api.tenant.call('DELETE', `/v1/shield/kill-switches/${made.body.killSwitchId}`);
    expect(gone.status).toBeLessThan(300);
  }
}

const DENIED = expect.objectContaining({ code: -32003 });

describe('kill switches at the HTTP routes of the daemon', () => {
  const http = (method: string, path: string, body?: object) =>
    send(daemon.url, method, path, body, { 'x-tenant-id': 'acme', 'x-api-key': api.tenant.apiKey });
  const put = (key: string) => http('PUT', '/v1/facts', fact(key));
  const soon = (ask: () => Promise<Answer>, status: number) =>
    expect.poll(async () => (await ask()).status, { timeout: 5_000 }).toBe(status);

  it('stop what changes something while all of the tenant is stopped, and reads where that is said', async () => {
    expect((await put('http before')).status).toBe(201);
    await stopped({ scope: 'tenant' }, async () => {
      await soon(() => put('http during'), 403);
      const { body } = await put('http during');
      expect(body.detail).toMatch(/^Kill switch [0-9a-f-]{36} of acme stops this: an incident\. An owner lifts it/);
      expect((await http('GET', '/v1/facts/list')).status).toBe(200);
    });
    await soon(() => put('http after'), 201);
    await stopped({ scope: 'tenant', includeReads: true }, () => soon(() => http('GET', '/v1/facts/list'), 403));
    await soon(() => http('GET', '/v1/facts/list'), 200);
  });

  it('stop one principal, and nobody else; a switch that asks for approvals stops nothing there', async () => {
    const second = await anotherKey(api, api.tenant);
    const byOther = (key: string) =>
      send(daemon.url, 'PUT', '/v1/facts', fact(key), { 'x-tenant-id': 'acme', 'x-api-key': second.apiKey });
    await stopped({ scope: 'principal', target: `key:${second.keyId}` }, async () => {
      await soon(() => byOther('http other'), 403);
      expect((await put('http mine')).status).toBe(201);
    });
    await soon(() => byOther('http other'), 201);
    await stopped({ scope: 'tenant', mode: 'require_approval' }, async () => {
      expect((await put('http marked')).status).toBe(201);
    });
  });
});

describe('the shield at the MCP endpoint of the daemon', () => {
  it('stops a tool by its name, also through more_tools', async () => {
    expect((await call('store_fact', fact('before'))).isError).not.toBe(true);
    await stopped({ scope: 'action', target: 'store_fact' }, async () => {
      await expect(call('store_fact', fact('during'))).rejects.toEqual(DENIED);
      await expect(call('more_tools', { tool: 'store_fact', arguments: fact('during') })).rejects.toEqual(DENIED);
    });
    expect((await call('store_fact', fact('after'))).isError).not.toBe(true);
  });

  it('stops it in the form of OpenAI too, and lets it pass with an approval', async () => {
    const invoke = async (args: object) => {
      const named = {
        id: 'call-1',
        type: 'function',
        function: { name: 'store_fact', arguments: JSON.stringify(args) },
      };
      const headers = { 'x-tenant-id': 'acme', 'x-api-key': api.tenant.apiKey };
      const { body } = await send(daemon.url, 'POST', '/v1/openai/invoke', { tool_calls: [named] }, headers);
      return { ...body.results[0], answer: JSON.parse(body.messages[0].content) };
    };
    await stopped({ scope: 'action', target: 'store_fact' }, async () => {
      expect(await invoke(fact('form denied'))).toMatchObject({ is_error: true, status: 403 });
    });
    await stopped({ scope: 'action', target: 'store_fact', mode: 'require_approval' }, async () => {
      const asked = await invoke(fact('form'));
      expect(asked).toMatchObject({ is_error: true, status: 403 });
      const approver = await anotherKey(api, api.tenant);
      const { body } = await expectStatus(200, resolve(approver, asked.answer.approvalRequestId));
      const again = { ...fact('form'), shield_approval_token: body.approvalToken };
      expect(await invoke(again)).toMatchObject({ is_error: false });
    });
    expect(await invoke(fact('form after'))).toMatchObject({ is_error: false });
  });

  it('stops all tools of the tenant, those that read included', async () => {
    await stopped({ scope: 'tenant', includeReads: true }, async () => {
      for (const [name, args] of [
        ['remember', fact('during')],
        ['search', { query: 'lamp' }],
        ['query_vault', { query: 'lamp' }],
      ] as const)
        await expect(call(name, args)).rejects.toEqual(DENIED);
    });
    expect((await call('search', { query: 'lamp' })).isError).not.toBe(true);
  });

  it('leaves one decision for each call', async () => {
    const count = async () => {
      const [row] = await api.database.query<{ n: number }>(
        `select count(*)::int as n from shield_decision where action in ('get_fact', 'remember')`,
      );
      return row!.n;
    };
    const before = await count();
    await call('remember', fact('counted'));
    expect(await count()).toBe(before + 1);
  });

  it('says that a tool failed which more_tools called', async () => {
    const failed = await call('more_tools', { tool: 'query_vault', arguments: {} });
    expect([failed.isError, failed._meta['svc/error'].code]).toEqual([true, -32602]);
    const unknown = await call('more_tools', { tool: 'get_fact', arguments: { fact_id: 'none' } });
    expect(unknown.isError).toBe(true);
  });

  it.each([
    ['store_fact', 'store_fact', fact('asked')],
    ['ingest', 'ingest', { title: 'A lamp', content: 'It is lit.', wait_seconds: 0 }],
    ['submit_feature_request', 'submit_feature_request', { title: 'More light', body: 'It is dark' }],
    ['more_tools', 'store_fact', { tool: 'store_fact', arguments: fact('asked through more_tools') }],
  ])(
    'asks for the approval that a call of %s needs, and makes the call once it is given',
    async (name, target, args) => {
      const approver = await anotherKey(api, api.tenant);
      const asked: string[] = [];
      const answer = async ({ message }: ElicitRequest['params']): Promise<ElicitResult> => {
        asked.push(message);
        const request = /\/v1\/shield\/approvals\/([0-9a-f-]{36})\/resolve/.exec(message)![1]!;
        if (asked.length === 2) await expectStatus(200, resolve(approver, request));
        return { action: 'accept', content: {} };
      };
      const asking = await asker(answer);
      await stopped({ scope: 'action', target, mode: 'require_approval' }, async () => {
        const done = await asking.callTool({ name, arguments: args });
        expect(done).toMatchObject({ isError: false });
        await expect(call(name, args)).rejects.toEqual(expect.objectContaining({ code: -31002 }));
      });
      expect(asked).toEqual([
        expect.stringContaining(`${name} needs the approval of another owner`),
        expect.stringMatching(/^It is not approved yet\. /),
      ]);
      await asking.close();
    },
  );

  it('has one effect of a call with a key, and says of a repeat that it is one', async () => {
    const keyed = { ...fact('keyed'), idempotency_key: 'remember-the-lamp' };
    const first = await call('remember', keyed);
    const again = await call('remember', keyed);
    expect([again.structuredContent, again._meta]).toEqual([
      { ...first.structuredContent, repeated: true },
      { 'svc/replayed': true },
    ]);
    const other = await call('remember', { ...keyed, value: 'dark' });
    expect([other.isError, other._meta['svc/error'].data.type]).toEqual([true, 'IdempotencyKeyReused']);
  });

  it('works in no other tenant than that of the credential, whatever the arguments say', async () => {
    const failed = await call('remember', { ...fact('foreign'), tenant_id: 'globex' });
    expect([failed.isError, failed._meta['svc/error'].data.type]).toEqual([true, 'Forbidden']);
    expect((await call('remember', { ...fact('own'), tenant_id: 'acme' })).isError).toBe(false);
  });

  it('has no effect where the user of the client declines', async () => {
    const declining = await asker(() => ({ action: 'decline' }));
    await stopped({ scope: 'action', target: 'store_fact', mode: 'require_approval' }, async () => {
      const given: any = await declining.callTool({ name: 'store_fact', arguments: fact('declined') });
      expect([given.isError, given._meta['svc/error'].data.type]).toEqual([true, 'ApprovalGivenUp']);
    });
    await declining.close();
    const found = await call('search', { query: 'declined' });
    expect(JSON.stringify(found.structuredContent)).not.toContain('declined"');
  });

  it('counts calls in the rate window of the tools', async () => {
    const calls = Array.from({ length: 90 }, () => call('search', { query: 'lamp' }));
    const ended = await Promise.allSettled(calls);
    const limited = ended.filter(({ status, reason }: any) => status === 'rejected' && reason.code === -32006);
    // The minute may change in the middle: two windows let 80 pass.
    expect(limited.length).toBeGreaterThanOrEqual(10);
    expect(ended.filter(({ status }) => status === 'rejected').length).toBe(limited.length);
  });
});
