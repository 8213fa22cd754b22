import { request, type ClientRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { headers as natsHeaders, connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteManifest } from '../../../src/common/contract/route-manifest.js';
import { TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { fromAnotherAddress, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { makeTenantFixture, SECRET, withCookie, type TenantFixture } from '../../kit/tenant-fixture.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { NatsServer } from '../../medium/outbox/nats-server.js';
import { until } from '../processes/svc-process.js';
import { givenAgent, must } from './given.js';
import { speakStdio, spawnStdio, type TransportAddress } from './transports.js';
import { openTransport } from './tool-callers.js';

const SUBJECT = 'svc.tools.rpc';
const METHODS = [...TOOL_NAMES, 'tools/list', 'tools/call'];
const PUBLIC = ['register_agent', 'request_sponsor'];

type Headers = Record<string, string>;

let nats: NatsServer;
let connection: NatsConnection;
let api: TestApi;
let tools: TestTools;
let fixture: TenantFixture;
let victim: TestTenant;
let attacker: TestTenant;

beforeAll(async () => {
  nats = await NatsServer.start();
  connection = await connect({ servers: nats.url });
  const env = { FEATURE_SELF_SIGNUP: '1' };
  api = await startApi({ env });
  tools = await startTools(api, {
    env: { ...env, SVC_TOOLS_RATE_LIMIT: '0', SVC_NATS_URL: nats.url, SVC_TRUSTED_PROXIES: '127.0.0.1' },
  });
  victim = api.tenant;
  attacker = await api.addTenant('umbrella');
  fixture = await makeTenantFixture(api, victim);
  await until('calls over NATS', () =>
    byNats(innocent, {}).then(
      () => true,
      () => false,
    ),
  );
}, 180_000);
afterAll(async () => {
  await connection.close();
  await tools.close();
  await api.close();
  await nats.close();
});

const keyOf = ({ tenantId, apiKey }: Pick<TestTenant, 'tenantId' | 'apiKey'>): Headers => ({
  'x-tenant-id': tenantId,
  'x-api-key': apiKey,
});
const addressOf = ({ tenantId, apiKey }: Pick<TestTenant, 'tenantId' | 'apiKey'>): TransportAddress => ({
  ...{ toolsUrl: tools.url, apiUrl: api.url, databaseUrl: api.database.url, tenantId, apiKey },
});
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const call = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params });

/** A call that would be answered, were the caller let in. */
const innocent = call('get_credit_balance', { agent_id: 'a' });
const rpc = (body: unknown, headers: Headers, path = '/rpc') => send(tools.url, 'POST', path, body, headers);
const toolBy = async (headers: Headers, method: string, params: object) =>
  (await rpc(call(method, params), headers)).body;

async function byNats(payload: object, headers: Headers): Promise<any> {
  const head = natsHeaders();
  for (const [name, value] of Object.entries(headers)) head.set(name, value);
  const message = await connection.request(SUBJECT, JSON.stringify(payload), { headers: head, timeout: 30_000 });
  return message.json();
}

const MCP = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
const INITIALIZE = call('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'outside', version: '1' },
});

/**
 * How every transport that takes headers answers a credential: its status, or over NATS the code of the error; 0 there:
 * it was let in.
 */
async function verdicts(credential: Headers): Promise<Record<string, number>> {
  // Many credentials that do not hold, from one address, would be answered 429.
  const headers = { ...fromAnotherAddress(), ...credential };
  const lines = { 'content-type': 'application/x-ndjson', ...headers };
  const sse = await fetch(`${tools.url}/sse`, { headers });
  await sse.body?.cancel();
  const overNats = await byNats(innocent, headers);
  return {
    rpc: (await rpc(innocent, headers)).status,
    batch: (await rpc([innocent, innocent], headers)).status,
    stream: (await rpc(JSON.stringify(innocent), lines, '/stream')).status,
    sse: sse.status,
    capabilities: (await send(tools.url, 'GET', '/capabilities', undefined, headers)).status,
    mcp: (await rpc(INITIALIZE, { ...MCP, ...headers }, '/mcp')).status,
    nats: overNats.error?.code ?? 0,
  };
}

const SHUT = { rpc: 401, batch: 401, stream: 401, sse: 401, capabilities: 401, mcp: 401, nats: -32000 };
const OPEN = { rpc: 200, batch: 200, stream: 200, sse: 200, capabilities: 200, mcp: 200, nats: 0 };

/** All that an answer lets out must be nothing of the victim's. */
const leaks = (answer: unknown) =>
  [SECRET, 'acme', victim.apiKey].filter((one) => JSON.stringify(answer).includes(one));

describe('without a credential', () => {
  it('only the two public tools, health and the documents are open', async () => {
    const open = tools.app
      .get(RouteManifest)
      .routes.filter(({ access }) => access.kind === 'anyone')
      .map(({ address }) => address);
    expect(open.sort()).toEqual([
      'DELETE /mcp', // 405
      'GET /.well-known/oauth-protected-resource',
      'GET /.well-known/oauth-protected-resource/mcp',
      'GET /build-info',
      'GET /healthz',
      'GET /mcp', // 405
      'GET /metrics',
      'GET /readyz',
      'POST /rpc/public',
    ]);
    for (const verb of ['GET', 'DELETE'])
      expect((await send(tools.url, verb, '/mcp', undefined, MCP)).status).toBe(405);
  });

  it('every method is refused by every transport', async () => {
    expect(await verdicts({})).toEqual(SHUT);
    for (const method of METHODS) {
      const payload = call(
        method,
        method === 'tools/call' ? { name: 'query_vault', arguments: { query: SECRET } } : {},
      );
      const line = { 'content-type': 'application/x-ndjson' };
      const answers: [string, Answer][] = [
        ['rpc', await rpc(payload, {})],
        ['batch', await rpc([payload, innocent], {})],
        ['stream', await rpc(`${JSON.stringify(payload)}\n`, line, '/stream')],
        ['mcp', await rpc(payload, MCP, '/mcp')],
      ];
      for (const [transport, { status, body, text }] of answers) {
        expect([transport, method, status]).toEqual([transport, method, 401]);
        expect([transport, method, text.includes('"result"'), body.type ?? body.error?.data.type]).toEqual([
          transport,
          method,
          false,
          'Unauthorized',
        ]);
      }
      const overNats = await byNats(payload, {});
      expect([method, overNats]).toMatchObject([method, { error: { code: -32000, data: { type: 'Unauthorized' } } }]);
      expect(Object.keys(overNats)).not.toContain('result');
    }
  });

  it('/rpc/public answers the two public tools, and nothing else', async () => {
    const open = (method: string, params: object) => rpc(call(method, params), {}, '/rpc/public');
    for (const method of TOOL_NAMES.filter((name) => !PUBLIC.includes(name))) {
      for (const [name, params] of [
        [method, {}],
        ['tools/call', { name: method, arguments: {} }],
      ] as const) {
        const { status, body } = await open(name, params);
        expect([method, name, status, body.error?.code]).toEqual([method, name, 200, -32000]);
        expect(body).not.toHaveProperty('result');
      }
    }
    const listed = (await open('tools/list', {})).body.result.tools.map(({ name }: any) => name);
    expect(listed).toEqual(PUBLIC);
    const { result: agent } = (await open('register_agent', { agent_framework: 'open' })).body;
    const standing = await open('request_sponsor', { session_token: agent.sessionToken });
    expect(standing.body.result).toMatchObject({ agentPrincipalId: agent.agentPrincipalId, sponsorRequired: true });
    // Nor does a credential open more here: it is the way for who has none.
    expect((await rpc(innocent, keyOf(victim), '/rpc/public')).body.error.code).toBe(-32000);
  });

  it('svc stdio does not start without a key, and answers nothing with a wrong one', async () => {
    const child = spawnStdio({ ...addressOf(victim), apiKey: '' }, 'pipe');
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    expect(said).toContain('MCP_STDIO_API_KEY is not set');

    const transport = speakStdio({ ...addressOf(victim), apiKey: attacker.apiKey });
    for (const method of METHODS) {
      const [answer] = (await transport.ask(JSON.stringify(call(method)))).map((text) => JSON.parse(text));
      expect([method, answer.error?.code, 'result' in answer]).toEqual([method, -32000, false]);
    }
    await transport.close();
  });

  it('one call that is refused spoils nothing of a public batch', async () => {
    const batch = [innocent, call('register_agent', { agent_framework: 'open' }, 2), call('no_such_tool', {}, 3)];
    const { body } = await rpc(batch, {}, '/rpc/public');
    expect(body.map(({ id, error }: any) => [id, error?.code])).toEqual([
      [1, -32000],
      [2, undefined],
      [3, -32601],
    ]);
  });
});

describe('an invalid credential', () => {
  it.each<[string, () => Headers | Promise<Headers>]>([
    ['a wrong key', () => ({ ...keyOf(victim), 'x-api-key': `${victim.apiKey}x` })],
    ['a short key', () => ({ ...keyOf(victim), 'x-api-key': 'short' })],
    ['the key of another tenant', () => ({ ...keyOf(victim), 'x-api-key': attacker.apiKey })],
    ['a tenant that is not there', () => ({ ...keyOf(victim), 'x-tenant-id': 'nowhere' })],
    ['a key without its tenant', () => ({ 'x-api-key': victim.apiKey })],
    ['a tenant without its key', () => ({ 'x-tenant-id': victim.tenantId })],
    ['a made-up session of an agent', () => bearer('svc_self_eyJ2IjoxfQ.c2lnbmF0dXJl')],
    ['a key of the discovery tenant', () => ({ 'x-tenant-id': 'svc-discovery', 'x-api-key': victim.apiKey })],
    ["the cookie of an owner's session", () => ({ cookie: fixture.cookie, origin: tools.url })],
    ['that cookie with its tenant', () => ({ cookie: fixture.cookie, 'x-tenant-id': 'acme', origin: tools.url })],
    [
      'the cookie of a session of the key',
      async () => {
        const { tenantId, apiKey } = victim;
        const signedIn = await send(api.url, 'POST', '/frontdoor/auth/connect', { tenantId, apiKey });
        return { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]!, 'sec-fetch-site': 'same-origin' };
      },
    ],
  ])('%s is refused by every transport', async (_, headers) => {
    expect(await verdicts(await headers())).toEqual(SHUT);
  });

  it('a key as a bearer is taken by MCP alone', async () => {
    expect(await verdicts(keyOf(victim))).toEqual(OPEN);
    expect(await verdicts(bearer(victim.apiKey))).toEqual({ ...SHUT, mcp: 200 });
    expect((await verdicts(bearer(`${victim.apiKey}x`))).mcp).toBe(401);
    expect((await verdicts({ ...bearer(victim.apiKey), 'x-tenant-id': attacker.tenantId })).mcp).toBe(403);
  });
});

describe('a key that is revoked', () => {
  let key: { id: string; apiKey: string };
  let address: TransportAddress;
  beforeAll(async () => {
    key = await must(victim.call, 'POST', '/v1/org/api-keys', { label: 'to be revoked' });
    address = addressOf({ ...victim, apiKey: key.apiKey });
  });

  /** A stream that stays open; each line is answered, and its end is seen. */
  function openStream(): { ask(): Promise<any>; ended: Promise<void>; sent: ClientRequest } {
    const headers = { 'content-type': 'application/x-ndjson', ...keyOf(address) };
    const sent = request(`${tools.url}/stream`, { method: 'POST', headers });
    sent.on('error', () => undefined);
    const waiting: ((line: any) => void)[] = [];
    const ended = new Promise<void>((resolve) => {
      sent.once('response', (response) =>
        createInterface({ input: response })
          .on('line', (line) => waiting.shift()?.(JSON.parse(line)))
          .once('close', resolve),
      );
    });
    const ask = () =>
      new Promise<any>((resolve) => {
        waiting.push(resolve);
        sent.write(`${JSON.stringify(innocent)}\n`);
      });
    return { ask: () => Promise.race([ask(), ended.then(() => ({ error: { code: 'ended' } }))]), ended, sent };
  }

  it('is refused everywhere, on open connections too, well before its cached verdict expires', async () => {
    const stream = openStream();
    const child = spawnStdio(address);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const piped = async () => {
      child.stdin!.write(`${JSON.stringify(innocent)}\n`);
      return JSON.parse((await lines.next()).value as string);
    };
    const mcp = await openTransport('MCP', address);
    const ways: Record<string, () => Promise<unknown>> = {
      rpc: async () => (await rpc(innocent, keyOf(address))).status,
      stream: async () => (await stream.ask()).error?.code,
      stdio: async () => (await piped()).error?.code,
      mcp: async () =>
        mcp.call('get_credit_balance', { agent_id: 'a' }).then(
          ({ error }) => error?.code,
          () => 'refused',
        ),
      nats: async () => (await byNats(innocent, keyOf(address))).error?.code,
    };
    const all = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(ways).map(async ([name, way]) => [name, await way()] as const)),
      );
    expect(await all()).toEqual({ rpc: 200, stream: undefined, stdio: undefined, mcp: undefined, nats: undefined });

    await must(victim.call, 'DELETE', `/v1/org/api-keys/${key.id}?reason=lost`);
    // A positive verdict may be cached for 5 s: the revocation invalidated it before.
    await expect
      .poll(all, { timeout: 4000, interval: 100 })
      .toEqual({ rpc: 401, stream: 'ended', stdio: -32000, mcp: 'refused', nats: -32000 });
    await stream.ended;
    stream.sent.destroy();
    await mcp.close();
    child.stdin!.end();
  });
});

describe('an agent that registered itself', () => {
  it('may do on /rpc, over NATS and MCP what the API lets it, and nothing else', async () => {
    const { sessionToken, agentPrincipalId } = await givenAgent(api);
    const headers = bearer(sessionToken);
    expect(await verdicts(headers)).toMatchObject({ rpc: 200, stream: 401, sse: 401, capabilities: 401, mcp: 200 });
    const own: [string, object][] = [
      ['query_vault', { query: 'anything shared' }],
      ['browse_bundles', {}],
      ['get_credit_balance', { agent_id: agentPrincipalId }],
      ['request_sponsor', { session_token: sessionToken }],
    ];
    for (const [tool, args] of own) {
      const answer = await toolBy(headers, tool, args);
      expect([tool, answer.error]).toEqual([tool, undefined]);
      expect([tool, leaks(answer).filter((one) => one !== 'acme')]).toEqual([tool, []]);
      expect((await byNats(call(tool, args), headers)).error).toBeUndefined();
    }
    const nowhere = '00000000-0000-4000-8000-000000000000';
    const foreign: [string, object][] = [
      ['get_credit_escrow', { agent_id: 'a' }],
      ['get_economy_dashboard', { agent_id: 'a' }],
      ['get_subscription_discount_preview', { agent_id: 'a', credits: 100 }],
      ['convert_credits_to_discount', { agent_id: 'a', credits: 100, idempotency_key: 'by-an-agent' }],
      ['tip_platform', { agent_id: 'a', credits: 1, idempotency_key: 'by-an-agent' }],
      ['purchase_bundle', { agent_id: 'a', bundle_id: nowhere, idempotency_key: 'by-an-agent' }],
      ['proof_document', { mode: 'light', artefact_id: 'vault/a' }],
      ['get_proof_status', { job_id: fixture.ids['id']![1] }],
      ['get_proof_chunks', { job_id: fixture.ids['id']![1] }],
      ['get_proof_receipt', { answer_id: fixture.ids['answerId']![0] }],
      ['get_proofpack', { receipt_id: fixture.ids['receiptId']![0] }],
      ['get_journal', { agent_id: 'a' }],
      ['get_stale_pins', { agent_id: 'a' }],
      ['get_session_context', { agent_id: 'a' }],
      ['watch_answer', { target_id: fixture.ids['answerId']![0] }],
      ['unwatch_answer', { watch_id: nowhere }],
      ['get_watches', {}],
      ['get_watch_alerts', { watch_id: nowhere }],
      ['submit_feature_request', { title: 'More please', body: 'More.', idempotency_key: 'by-an-agent' }],
      ['vote_feature_request', { request_id: nowhere, idempotency_key: 'by-an-agent' }],
      ['get_feature_requests', {}],
      [
        'declare_revenue_willingness',
        { subject: 'x', amount_minor: 1, currency: 'GBP', period: 'once', idempotency_key: 'by-an-agent' },
      ],
      ['submit_feedback_survey', { answers: [{ questionId: 'q', scale: 1 }], idempotency_key: 'by-an-agent' }],
      ['respond_to_survey', { question_id: 'q', scale: 1, idempotency_key: 'by-an-agent' }],
    ];
    for (const [tool, args] of foreign) {
      const answer = await toolBy(headers, tool, args);
      expect([tool, answer.error?.code, answer.error?.data.type]).toEqual([tool, -32001, 'Forbidden']);
    }
    const asked = new Set(['register_agent', ...own.map(([tool]) => tool), ...foreign.map(([tool]) => tool)]);
    expect(TOOL_NAMES.filter((name) => !asked.has(name))).toEqual([]);
    // Of another agent it learns no balance, and in another tenant's name it does nothing.
    expect((await toolBy(headers, 'get_credit_balance', { agent_id: 'a' })).error.code).toBe(-32001);
    expect((await rpc(innocent, { ...headers, 'x-tenant-id': 'acme' })).status).toBe(403);
  });

  it('that a tenant sponsors acts in it as a member does, until it is released', async () => {
    const { sessionToken, agentPrincipalId } = await givenAgent(api);
    const owner = withCookie(api.url, fixture.cookie);
    await must(owner, 'POST', `/v1/agents/${agentPrincipalId}/sponsor`, {});
    const headers = bearer(sessionToken);
    const find = () => toolBy(headers, 'query_vault', { query: SECRET, corpus_ids: ['vault'] });
    await expect.poll(async () => (await find()).result?.results.length, { timeout: 4000 }).toBe(2);
    await must(owner, 'DELETE', `/v1/org/agents/${agentPrincipalId}?reason=done`);
    await expect.poll(async () => (await rpc(innocent, headers)).status, { timeout: 4000 }).toBe(401);
    expect(await verdicts(headers)).toEqual(SHUT);
  });
});

describe('another tenant', () => {
  const steal = (tool: string, args: object) => toolBy(keyOf(attacker), tool, args);

  it('finds nothing behind any id of the victim, by any tool that takes one', async () => {
    const { ids, chunkId, requestId } = fixture;
    const all = [...ids['id']!, ...ids['receiptId']!, ...ids['answerId']!, requestId];
    const takes: [string, (id: string) => object][] = [
      ['get_proof_status', (id) => ({ job_id: id })],
      ['get_proof_chunks', (id) => ({ job_id: id })],
      ['get_proof_receipt', (id) => ({ job_id: id })],
      ['get_proof_receipt', (id) => ({ answer_id: id })],
      ['get_proofpack', (id) => ({ receipt_id: id })],
      ['get_watch_alerts', (id) => ({ watch_id: id })],
      ['unwatch_answer', (id) => ({ watch_id: id })],
      ['vote_feature_request', (id) => ({ request_id: id, idempotency_key: `vote-for-${id}` })],
      ['watch_answer', (id) => ({ target_id: id })],
      ['proof_document', (id) => ({ mode: 'light', artefact_id: id })],
      ['proof_document', (id) => ({ mode: 'light', answer_id: id })],
    ];
    for (const [tool, argsOf] of takes) {
      for (const id of all) {
        const { error, ...rest } = await steal(tool, argsOf(id));
        // What is no id of that kind is refused as such; what is one of the victim's is not there.
        expect([tool, id, [-32004, -32602].includes(error?.code), rest]).toEqual([
          tool,
          id,
          true,
          { jsonrpc: '2.0', id: 1 },
        ]);
        expect([tool, leaks(error).filter((one) => !id.includes(one))]).toEqual([tool, []]);
      }
    }
    for (const args of [
      { target_type: 'artifact', target_id: chunkId },
      { target_type: 'document', target_id: 'vault/a' },
    ])
      expect((await steal('watch_answer', args)).error.code).toBe(-32004);
  });

  it('sees nothing of the victim in any list or home, nor by searching', async () => {
    const lists: [string, object][] = [
      ['get_journal', { agent_id: 'a' }],
      ['get_stale_pins', { agent_id: 'a' }],
      ['get_session_context', { agent_id: 'a' }],
      ['get_credit_balance', { agent_id: 'a' }],
      ['get_credit_escrow', { agent_id: 'a' }],
      ['get_economy_dashboard', { agent_id: 'a' }],
      ['get_watches', {}],
      ['get_feature_requests', {}],
      ['query_vault', { query: SECRET, corpus_ids: ['vault'] }],
      ['query_vault', { query: SECRET, lane: 'audit' }],
    ];
    for (const [tool, args] of lists) {
      const answer = await steal(tool, args);
      expect([tool, answer.error, leaks(answer)]).toEqual([tool, undefined, []]);
    }
    const named = await steal('query_vault', { query: SECRET, tenant_id: 'acme' });
    expect(named.error).toMatchObject({ code: -32001, data: { type: 'Forbidden' } });
  });

  it("uses the victim's idempotency keys for itself alone", async () => {
    const tip = { agent_id: 'a', credits: 5, idempotency_key: 'the very same key' };
    const own = await toolBy(keyOf(victim), 'tip_platform', { ...tip, message: SECRET });
    expect(own.result.message).toBe(SECRET);
    const other = await steal('tip_platform', tip);
    expect(other.result).toMatchObject({ credits: 5, message: null });
    expect(other.result.tipId).not.toBe(own.result.tipId);
    // What has no key of its own gets one made of who calls: a question that both watch is watched by each.
    const watch = { target_type: 'query', query: { query: 'spring tides' } };
    const [mine, theirs] = [await steal('watch_answer', watch), await toolBy(keyOf(victim), 'watch_answer', watch)];
    expect(mine.result.watchId).not.toBe(theirs.result.watchId);
    expect(leaks(mine)).toEqual([]);
  });

  it("cannot use the victim's approval, which is as good as before for whom it was given to", async () => {
    const { approvalToken, approvedTip } = fixture;
    const tip = { agent_id: 'a', credits: 150, message: SECRET, shield_approval_token: approvalToken };
    const stolen = await steal('tip_platform', { ...tip, idempotency_key: 'stolen-approval' });
    expect(stolen.error).toMatchObject({ code: -32003, data: { denial: { cause: 'unknown' } } });
    const { apiKey } = await must(victim.call, 'POST', '/v1/org/api-keys', { label: 'colleague' });
    const colleague = await toolBy({ ...keyOf(victim), 'x-api-key': apiKey }, 'tip_platform', {
      ...tip,
      idempotency_key: 'approval-of-a-colleague',
    });
    expect(colleague.error).toMatchObject({ code: -32003, data: { denial: { cause: 'another_principal' } } });
    const used = await victim.call('POST', '/v1/economy/tip-platform', approvedTip, {
      'x-shield-approval-token': approvalToken,
    });
    expect(used.status).toBe(201);
  });

  it('is not let in by what it says of itself', async () => {
    for (const headers of [
      { ...keyOf(attacker), 'x-tenant-id': victim.tenantId },
      { ...keyOf(attacker), 'x-tenant-id': `${attacker.tenantId}, ${victim.tenantId}` },
      { ...keyOf(attacker), 'x-tenant-id': victim.tenantId, ...bearer(attacker.apiKey) },
    ])
      expect(await verdicts(headers)).toEqual(SHUT);
    // A forged signature, and somebody else's address, change nothing.
    const forged = `${Buffer.from(JSON.stringify({ v: 1, tenantId: 'acme', expiresAt: 9e15 })).toString('base64url')}.AAAA`;
    const answer = await rpc(call('get_feature_requests'), { ...keyOf(attacker), 'x-svc-tool-call': forged });
    expect([answer.status, answer.body.result.requests]).toEqual([200, []]);
  });
});
