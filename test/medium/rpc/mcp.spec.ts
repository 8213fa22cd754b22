import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProtocolError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_TOOL_NAMES, TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { McpEndpoint } from '../../../src/rpc/mcp/mcp-endpoint.js';
import { makeServiceTools } from '../../../src/rpc/tools/service-tools.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { mcpFailure } from '../../kit/mcp-failure.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { expectStatus } from '../shield/given.js';
import { connect, envelope, mirrored, REVISIONS, type ClientOptions } from './mcp-clients.js';

const MAX_BODY = 1024 * 1024;
let api: TestApi;
let tools: TestTools;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: { FEATURE_SELF_SIGNUP: '1' } });
  tools = await startTools(api, {
    env: { FEATURE_SELF_SIGNUP: '1', SVC_TOOLS_RATE_LIMIT: '0', SVC_TOOLS_MAX_BODY_BYTES: String(MAX_BODY) },
  });
  acme = api.tenant;
  other = await api.addTenant('other', 'free');
  const document = { corpusId: 'handbook', docId: 'leave', title: 'Leave', url: 'https://example.org/' };
  const ingest = await expectStatus(
    202,
    acme.call('POST', '/v1/ingest', { ...document, tenantId: 'acme', content: 'Staff have thirty days of leave.' }),
  );
  for (let status = 'queued'; status !== 'completed';)
    status = (await acme.call('GET', `/v1/ingest/${ingest.body.ingestId}`)).body.status;
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const client = (options?: ClientOptions, tenant = acme) => connect(tools.url, tenant, options);
const key = () => crypto.randomUUID();

describe.each(REVISIONS)('a client of %s', (revision) => {
  it('learns who answers, and how the tools are used', async () => {
    const mcp = await client({ revision });
    expect(mcp.getNegotiatedProtocolVersion()).toBe(revision);
    expect(mcp.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
    });
    expect(mcp.getServerVersion()).toMatchObject({ name: 'svc', version: expect.any(String) });
    expect(mcp.getInstructions()).toContain('start_session');
    await mcp.close();
  });

  it('finds every tool, in order, with its definition and digest', async () => {
    const mcp = await client({ revision, headers: { 'x-svc-tool-set': 'api' } });
    const { tools: listed, _meta } = await mcp.listTools();
    expect(listed.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    const registry = makeServiceTools();
    expect(_meta).toMatchObject({ 'svc/digest': registry.digest });
    for (const { _meta: own, ...definition } of listed) {
      const tool = registry.find(definition.name)!;
      expect(own).toEqual({ 'svc/digest': tool.digest });
      expect(definition).toEqual(tool.definition);
    }
    await mcp.close();
  });

  it('reads, with a structured result that fits the schema of the tool', async () => {
    const mcp = await client({ revision });
    await mcp.listTools();
    const { structuredContent, content, isError } = await mcp.callTool({
      name: 'query_vault',
      arguments: { query: 'how many days of leave', include_commons: false },
    });
    expect(isError).toBe(false);
    expect(structuredContent).toMatchObject({ results: [{ docId: 'leave', tenantId: 'acme' }] });
    expect(content).toEqual([{ type: 'text', text: expect.any(String) }]);
    expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(structuredContent);
    await mcp.close();
  });

  it('changes something, once under a key', async () => {
    const mcp = await client({ revision });
    const idempotency_key = key();
    const ask = () =>
      mcp.callTool({
        name: 'submit_feature_request',
        arguments: { title: `Wanted by a client of ${revision}`, body: 'Because', idempotency_key },
      });
    const first = await ask();
    expect(first.structuredContent).toMatchObject({ status: 'open', requestId: expect.any(String) });
    expect((await ask()).structuredContent).toEqual(first.structuredContent);
    await mcp.close();
  });

  it('gets argument errors from the tool, so that a model can correct them', async () => {
    const mcp = await client({ revision });
    const { isError, content, _meta } = await mcp.callTool({
      name: 'query_vault',
      arguments: { query: 'x', limit: 99 },
    });
    const error = {
      code: -32602,
      message: expect.any(String),
      data: expect.objectContaining({
        type: 'ValidationFailed',
        issues: expect.arrayContaining([
          expect.objectContaining({ path: 'params.query' }),
          expect.objectContaining({ path: 'params.limit' }),
        ]),
      }),
    };
    expect(isError).toBe(true);
    expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(error);
    expect(_meta).toMatchObject({ 'svc/error': error });
    await mcp.close();
  });

  it.each([
    ['an unknown id', 'get_proof_status', { job_id: '01900000-0000-7000-8000-000000000000' }, -32004, 404],
    ['an invalid session token', 'request_sponsor', { session_token: 'svc_self_not-a-token' }, -32000, 401],
    ['no key for an effect', 'submit_feature_request', { title: 'Wanted', body: 'Because' }, -32602, 400],
    ['a NUL in the text', 'query_vault', { query: 'a\0b' }, -32602, 400],
  ])('gets an error for %s', async (_what, name, args, code, status) => {
    const mcp = await client({ revision });
    const asked = mcp.callTool({ name, arguments: args });
    if (code === -32000) expect(await mcpFailure(asked)).toMatchObject({ code, data: { status } });
    else expect(await asked).toMatchObject({ isError: true, _meta: { 'svc/error': { code, data: { status } } } });
    await mcp.close();
  });

  it('gets a protocol error for an unknown tool, also where the name is a method of ours', async () => {
    const mcp = await client({ revision });
    for (const name of ['no_such_tool', 'tools/list', 'toString'])
      expect(await mcpFailure(mcp.callTool({ name, arguments: {} }))).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`Unknown tool: ${name}. tools/list has`),
      });
    await mcp.close();
  });

  it('sees its own tenant alone', async () => {
    const mine = await client({ revision });
    const theirs = await client({ revision }, other);
    const query = { name: 'query_vault', arguments: { query: 'how many days of leave', include_commons: false } };
    const [own, foreign] = await Promise.all([mine.callTool(query), theirs.callTool(query)]);
    expect(own.structuredContent).toMatchObject({ results: [{ docId: 'leave' }] });
    expect(foreign.structuredContent).toMatchObject({ results: [] });
    // The tier belongs to the tenant as well: watches are for those that pay.
    expect(await theirs.callTool({ name: 'get_watches', arguments: {} })).toMatchObject({
      isError: true,
      _meta: { 'svc/error': { code: -32001, data: { status: 403 } } },
    });
    await Promise.all([mine.close(), theirs.close()]);
  });
});

describe('POST /mcp', () => {
  const post = (body: unknown, headers: Record<string, string>) => send(tools.url, 'POST', '/mcp', body, headers);
  const credential = () => ({ 'x-tenant-id': acme.tenantId, 'x-api-key': acme.apiKey });

  it('takes a key as a bearer, from clients that can send nothing else', async () => {
    const answer = await post(envelope('tools/list'), {
      ...mirrored('tools/list'),
      authorization: `Bearer ${acme.apiKey}`,
    });
    expect([answer.status, answer.body.result.tools.length]).toEqual([200, AGENT_TOOL_NAMES.length]);
  });

  it('answers an agent that registered itself, with what it has left', async () => {
    const { body: agent } = await send(api.url, 'POST', '/v1/agents/register', { agentFramework: 'test' });
    const call = { name: 'query_vault', arguments: { query: 'anything at all', include_commons: true } };
    const answer = await post(envelope('tools/call', call), {
      ...mirrored('tools/call', 'query_vault'),
      authorization: `Bearer ${agent.sessionToken}`,
    });
    expect(answer.body.result).toMatchObject({ isError: false, structuredContent: { results: [] } });
    expect(answer.headers.get('x-svc-credits-remaining')).toBe('495');
  });

  it.each<[string, () => Record<string, string>]>([
    ['nothing', () => ({})],
    ['a wrong key', () => ({ ...credential(), 'x-api-key': 'svc_key_wrong_wrong' })],
    ['a key of another tenant', () => ({ ...credential(), 'x-tenant-id': 'other' })],
    ['a wrong bearer', () => ({ authorization: 'Bearer svc_key_wrong_wrong' })],
    ['a cookie', () => ({ cookie: 'svc_session=x', origin: tools.url })],
  ])('answers 401 to %s, whatever is asked', async (_what, headers) => {
    for (const method of ['tools/list', 'server/discover', 'tools/call']) {
      const answer = await post(envelope(method), { ...mirrored(method), ...headers() });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(answer.body).toMatchObject({ type: 'Unauthorized', status: 401 });
    }
  });

  it('says how long the list holds, and for whom', async () => {
    const { body, headers } = await post(envelope('tools/list'), { ...mirrored('tools/list'), ...credential() });
    expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    expect(body.result.nextCursor).toBeUndefined();
    expect(headers.get('x-request-id')).toMatch(/./);
    expect(headers.get('traceparent')).toMatch(/^00-/);
  });

  it('takes the key of an effect in a header of the call', async () => {
    const call = envelope('tools/call', {
      name: 'submit_feature_request',
      arguments: { title: 'Wanted by header', body: 'Because' },
    });
    const headers = {
      ...mirrored('tools/call', 'submit_feature_request'),
      ...credential(),
      'x-idempotency-key': key(),
    };
    const [first, second] = [await post(call, headers), await post(call, headers)];
    expect(first.body.result.structuredContent.requestId).toMatch(/./);
    expect(second.body.result.structuredContent).toEqual(first.body.result.structuredContent);
  });

  it('does not share such a key among the calls of a batch', async () => {
    const one = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'submit_feature_request', arguments: { title: 'Wanted in a batch', body: 'Because' } },
    });
    const headers = {
      ...mirrored('tools/call'),
      ...credential(),
      'x-idempotency-key': key(),
      'mcp-protocol-version': '2025-03-26',
    };
    const { status, text } = await post([one(1), one(2)], headers);
    expect(status).toBe(200);
    expect(text.match(/IdempotencyKeyRequired/g)?.length).toBeGreaterThanOrEqual(2);
    expect(text).not.toContain('requestId');
  });

  it.each([
    ['no JSON', '{"jsonrpc":', 400, -32700],
    ['nothing', '', 400, -32700],
    ['another content', '[]', 400, -32600],
    ['a request of another protocol', '{"hello":1}', 400, -32600],
  ])('answers %s as JSON-RPC says', async (_what, body, status, code) => {
    const answer = await post(body, { ...mirrored('tools/list'), ...credential(), 'content-type': 'application/json' });
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  it('refuses another content type and a body that is too large before it is read', async () => {
    const headers = { ...mirrored('tools/list'), ...credential() };
    expect((await post('{}', { ...headers, 'content-type': 'text/plain' })).status).toBe(415);
    const large = envelope('tools/list', { cursor: 'x'.repeat(MAX_BODY) });
    expect((await post(large, headers)).status).toBe(413);
  });

  it.each(['GET', 'DELETE'])('answers 405 to %s: there are no sessions', async (method) => {
    const answer = await send(tools.url, method, '/mcp', undefined, { accept: 'text/event-stream', ...credential() });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('keeps pages of other servers away', async () => {
    const headers = { ...mirrored('tools/list'), ...credential(), origin: 'https://evil.example' };
    expect((await post(envelope('tools/list'), headers)).status).toBe(403);
  });
});

describe('the API behind it', () => {
  it('that cannot be reached is a retryable error of the tool', async () => {
    const alone = await startTools(api, { apiUrl: 'http://127.0.0.1:9' });
    const mcp = await connect(alone.url, acme);
    const result = await mcp.callTool({ name: 'get_credit_balance', arguments: { agent_id: 'a' } });
    expect(result).toMatchObject({
      isError: true,
      _meta: {
        'svc/error': { code: -32009, data: { status: 503, retryable: true, retryAfterSec: expect.any(Number) } },
      },
    });
    await mcp.close();
    await alone.close();
  });

  it('is not asked past the rate window: a protocol error says when to retry', async () => {
    const few = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: '1' } });
    const mcp = await connect(few.url, other);
    const outcomes = [];
    // The minute may end between two calls, so three are made: more than any two minutes let through.
    for (let calls = 0; calls < 3; calls += 1)
      outcomes.push(
        await mcp.callTool({ name: 'browse_bundles', arguments: {} }).then(
          () => 'answered',
          ({ code, data }: ProtocolError) => ({ code, data }),
        ),
      );
    expect(outcomes).toContainEqual({
      code: -32006,
      data: expect.objectContaining({ status: 429, retryAfterSec: expect.any(Number) }),
    });
    await mcp.close();
    await few.close();
  });
});

describe('a client that goes away', () => {
  /** An API that answers nothing by itself, and records which of its calls were aborted. */
  async function startSilentApi() {
    const calls: { path: string; isGivenUp: boolean; answer: (body: object) => void }[] = [];
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const answer = (body: object) => void response.end(JSON.stringify(body));
      const call = { path: request.url!, isGivenUp: false, answer };
      calls.push(call);
      response.once('close', () => (call.isGivenUp = true));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { calls, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('gives up what only reads; what changes something goes on', async () => {
    const silent = await startSilentApi();
    const waiting = await startTools(api, { apiUrl: silent.url });
    const mcp = await connect(waiting.url, acme);
    const gone = new AbortController();
    const title = { title: 'Wanted by nobody', body: 'Because', idempotency_key: key() };
    const asked = [
      mcp.callTool({ name: 'browse_bundles', arguments: {} }, { signal: gone.signal }),
      mcp.callTool({ name: 'submit_feature_request', arguments: title }, { signal: gone.signal }),
    ];
    await expect.poll(() => silent.calls.length, { timeout: 20_000 }).toBe(2);
    gone.abort();
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const isGivenUp = (path: string) => silent.calls.find((call) => call.path.startsWith(path))!.isGivenUp;
    await expect.poll(() => isGivenUp('/v1/bundles'), { timeout: 20_000 }).toBe(true);
    expect(isGivenUp('/v1/feedback/requests')).toBe(false);
    silent.server.closeAllConnections();
    silent.server.close();
    await mcp.close();
    await waiting.close();
  });

  it('has nothing kept of a subscription that was answered', async () => {
    const { subscribers } = tools.app.get<{ subscribers: Set<unknown> }>(McpEndpoint);
    const listen = (params: unknown): Promise<Response> =>
      fetch(`${tools.url}/mcp`, {
        method: 'POST',
        headers: {
          ...{ ...mirrored('subscriptions/listen'), 'content-type': 'application/json' },
          ...{ 'x-tenant-id': acme.tenantId, 'x-api-key': acme.apiKey },
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
      });
    const { params } = envelope('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(await (await listen(5)).text()).toContain('error');
    expect(await (await listen(params)).text()).toContain('complete');
    await expect.poll(() => subscribers.size, { timeout: 20_000 }).toBe(0);
  });

  it('may leave a subscription open: a process that stops ends it, and answers the calls in flight', async () => {
    const silent = await startSilentApi();
    const stopping = await startTools(api, { apiUrl: silent.url });
    const credential = { 'x-tenant-id': acme.tenantId, 'x-api-key': acme.apiKey, 'content-type': 'application/json' };
    const listening = await fetch(`${stopping.url}/mcp`, {
      method: 'POST',
      headers: { ...mirrored('subscriptions/listen'), ...credential },
      body: JSON.stringify(envelope('subscriptions/listen', { notifications: { toolsListChanged: true } })),
    });
    const events = listening.body!.pipeThrough(new TextDecoderStream()).getReader();
    // No notification is ever sent, and the acknowledgement says so.
    expect((await events.read()).value).toContain('notifications/subscriptions/acknowledged');
    const mcp = await connect(stopping.url, acme);
    const asked = mcp.callTool({ name: 'browse_bundles', arguments: {} });
    await expect.poll(() => silent.calls.length, { timeout: 20_000 }).toBe(1);
    const stopped = stopping.close();
    // The subscription ends while the call is still in flight.
    for (let part = await events.read(); !part.done;) part = await events.read();
    silent.calls[0]!.answer({ bundles: [], next_cursor: null });
    expect(await asked).toMatchObject({ isError: false, structuredContent: { bundles: [] } });
    // As the drain of a process does: a connection that was busy when the close began is waited for.
    const idle = setInterval(() => stopping.app.getHttpServer().closeIdleConnections(), 20);
    await stopped;
    clearInterval(idle);
    silent.server.close();
    await mcp.close();
  });
});
