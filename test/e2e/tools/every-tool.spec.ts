import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { makeTenantFixture, type TenantFixture } from '../../kit/tenant-fixture.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { anotherKey } from '../../medium/shield/given.js';
import { until } from '../processes/svc-process.js';
import { givenDoer, givenSomethingHappened, must, type KeyedDoer } from './given.js';
import type { TransportAddress } from './transports.js';
import { TRANSPORTS, openTransport, type TransportName, type ToolCaller, type ToolOutcome } from './tool-callers.js';
import { MUTATIONS, type Mutation } from './tool-effects.js';
import { readsOf, type Read } from './tool-reads.js';

let api: TestApi;
let tools: TestTools;
let tenant: TestTenant;
let fixture: TenantFixture;
let reads: Read[];
/** Everybody who reads does so with the tenant's own key. */
const readers = {} as Record<TransportName, ToolCaller>;
/**
 * What changes something is done by each transport with a key of its own, and repeated by the next transport with that
 * same key.
 */
const doers = {} as Record<TransportName, { doer: KeyedDoer; first: ToolCaller; next: ToolCaller }>;

const slugOf = (name: TransportName): string => name.toLowerCase().replace(/\W+/g, '-').replace(/^-|-$/g, '');
const nextOf = (name: TransportName): TransportName => TRANSPORTS[(TRANSPORTS.indexOf(name) + 1) % TRANSPORTS.length]!;
const addressFor = (apiKey: string): TransportAddress => ({
  toolsUrl: tools.url,
  apiUrl: api.url,
  databaseUrl: api.database.url,
  tenantId: tenant.tenantId,
  apiKey,
});

beforeAll(async () => {
  const env = { FEATURE_SELF_SIGNUP: '1' };
  api = await startApi({ env });
  tools = await startTools(api, { env: { ...env, SVC_TOOLS_RATE_LIMIT: '0' } });
  tenant = api.tenant;
  fixture = await makeTenantFixture(api, tenant);
  const press = await api.addTenant('press');
  reads = readsOf(await givenSomethingHappened(fixture));
  // The fixture has a kill switch on survey answers; here they are needed.
  for (const id of fixture.ids['killSwitchId']!)
    await must(tenant.call, 'DELETE', `/v1/shield/kill-switches/${id}?reason=open`);
  for (const name of TRANSPORTS) {
    readers[name] = await openTransport(name, addressFor(tenant.apiKey));
    const doer = await givenDoer(api, tenant, press, slugOf(name));
    const [first, next] = [name, nextOf(name)].map((transport) => openTransport(transport, addressFor(doer.apiKey)));
    doers[name] = { doer, first: await first!, next: await next! };
  }
  // A receipt states its place in the log, which grows as long as something was done.
  const pending = () => api.database.query('select from log_pending limit 1');
  await until('a log that has taken in everything', async () => (await pending()).length === 0);
}, 300_000);
afterAll(async () => {
  for (const reader of Object.values(readers)) await reader.close();
  for (const { first, next } of Object.values(doers)) await Promise.all([first.close(), next.close()]);
  await tools.close();
  await api.close();
});

/** What must differ, masked. */
function masked(value: any, names: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, names.includes(name) ? `<${name}>` : masked(one, names)]),
  );
}

/** A failure as every transport reports it: the body of the API's error, but for the id of the request. */
const failureOf = ({ error }: ToolOutcome) => masked(error?.data, ['request_id']);
const REGISTER = { agent_framework: 'outside', agent_display_name: 'From outside' };

it('the tables name every tool', () => {
  const named = new Set(['register_agent', ...reads.map(({ tool }) => tool), ...MUTATIONS.map(({ tool }) => tool)]);
  expect(TOOL_NAMES.filter((name) => !named.has(name))).toEqual([]);
  expect(named.size).toBe(29);
});

describe('what reads', () => {
  it('answers the same over every transport as the route of the API does', { timeout: 120_000 }, async () => {
    for (const { tool, args, route, headers, shows, differs } of reads) {
      const [method, path, body] = route;
      const answer = await tenant.call(method, path, body, headers);
      expect([tool, answer.status, answer.body]).toMatchObject([tool, 200, shows]);
      const wanted = masked(answer.body, differs);
      for (const name of TRANSPORTS) {
        const outcome = await readers[name].call(tool, args);
        expect([tool, name, masked(outcome, differs)]).toEqual([tool, name, { result: wanted }]);
      }
    }
  });
});

describe('register_agent', () => {
  it.each(TRANSPORTS)('makes an agent over %s, whose session is its own', async (name) => {
    const first = await readers[name].call('register_agent', REGISTER);
    expect(first.result).toMatchObject({ registrationType: 'self_signup', sponsorRequired: true });
    const { sessionToken, agentPrincipalId } = first.result;
    const standing = await readers[name].call('request_sponsor', { session_token: sessionToken });
    expect(standing.result).toMatchObject({ agentPrincipalId, sponsorTenantId: null });
    const second = await readers[name].call('register_agent', REGISTER);
    expect(second.result.agentPrincipalId).not.toBe(agentPrincipalId);
  });
});

describe.each(TRANSPORTS)('what changes something, over %s', (name) => {
  const keyOf = ({ tool }: Mutation) => `${tool}-by-${slugOf(name)}`;

  it.each(MUTATIONS.map((mutation) => [mutation.tool, mutation] as const))('%s', async (tool, mutation) => {
    const { doer, first, next } = doers[name];
    const call = { ...mutation.args(doer), idempotency_key: keyOf(mutation) };
    const done = await first.call(tool, call);
    expect(done).toMatchObject({ result: mutation.shows(doer) });
    expect(done).not.toHaveProperty('replayed');
    expect(await mutation.effect(doer)).toEqual(mutation.once(doer));
    // The same key by the next transport, by the same transport, and by the route of the API itself.
    const again = { ...done, replayed: true };
    expect([next.name, await next.call(tool, call)]).toEqual([next.name, again]);
    expect(await first.call(tool, call)).toEqual(again);
    const [method, path, body] = mutation.route(doer);
    const byRoute = await doer.call(method, path, body, { 'x-idempotency-key': keyOf(mutation) });
    expect([byRoute.headers.get('x-idempotency-replayed'), byRoute.body]).toEqual(['true', done.result]);
    expect(await mutation.effect(doer)).toEqual(mutation.once(doer));
  });

  it('the key of another call is refused', async () => {
    const { doer, first } = doers[name];
    const outcome = await first.call('tip_platform', {
      agent_id: doer.agentId,
      credits: 8,
      idempotency_key: `tip_platform-by-${slugOf(name)}`,
    });
    expect(outcome.error).toMatchObject({ code: -32005, data: { type: 'IdempotencyKeyReused', status: 422 } });
  });

  it('a call without a key is refused where one is needed, and has one of its own where not', async () => {
    const { doer, first, next } = doers[name];
    const needy = MUTATIONS.filter(({ tool }) => !['proof_document', 'watch_answer', 'unwatch_answer'].includes(tool));
    for (const mutation of needy) {
      const { error } = await first.call(mutation.tool, mutation.args(doer));
      expect([mutation.tool, error?.code, error?.data.type]).toEqual([mutation.tool, -32602, 'IdempotencyKeyRequired']);
    }
    const proof = { agent_id: `${doer.agentId}-again`, mode: 'light', artefact_id: 'vault/b' };
    const made = await first.call('proof_document', proof);
    expect(made.result.status).toBe('queued');
    expect(await next.call('proof_document', proof)).toEqual({ ...made, replayed: true });
  });

  it('what spends much waits for another owner, and then happens once', async () => {
    const { doer, first, next } = doers[name];
    const tip = { agent_id: `${doer.agentId}-much`, credits: 150, idempotency_key: `much-by-${slugOf(name)}` };
    const asked = await first.call('tip_platform', tip);
    expect(asked.error).toMatchObject({
      code: name.startsWith('MCP') ? -31002 : -32002,
      data: { type: 'ShieldApprovalRequired', approvalRequestId: expect.any(String), decisionId: expect.any(String) },
    });
    const resolve = `/v1/shield/approvals/${asked.error!.data.approvalRequestId}/resolve`;
    const { call: owner } = await anotherKey(api, tenant);
    const { approvalToken } = await must(owner, 'POST', resolve, { decision: 'approve', reason: 'A good cause' });
    const approved = { ...tip, shield_approval_token: approvalToken };
    const done = await first.call('tip_platform', approved);
    expect(done).toMatchObject({ result: { credits: 150 } });
    expect(await next.call('tip_platform', approved)).toEqual({ ...done, replayed: true });
    // Its token is used up: the same under another key is another call.
    const again = await next.call('tip_platform', { ...approved, idempotency_key: `more-by-${slugOf(name)}` });
    expect(again.error).toMatchObject({ code: -32003, data: { type: 'ShieldDenied', denial: { cause: 'used' } } });
    const { tips } = (await doer.call('GET', `/v1/economy/dashboard/${tip.agent_id}`)).body;
    expect(tips).toMatchObject({ periodTips: 1, periodCredits: 150, totalCredits: 150 });
  });
});

it('one key by all transports at once has one effect', async () => {
  const tip = { agent_id: 'at-once', credits: 3, idempotency_key: 'by all transports at once' };
  const outcomes = await Promise.all(TRANSPORTS.map((name) => readers[name].call('tip_platform', tip)));
  const done = outcomes.filter(({ result }) => result);
  expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(done.map(({ result }) => result)).toEqual(done.map(() => done[0]!.result));
  for (const { error } of outcomes.filter((one) => one.error))
    expect(error).toMatchObject({ code: -32005, data: { type: 'IdempotencyInProgress', retryable: true } });
  const { body } = await tenant.call('GET', '/v1/economy/dashboard/at-once');
  expect(body.tips).toMatchObject({ periodTips: 1, periodCredits: 3, totalCredits: 3 });
});

it('a failure has the same body over every transport', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000';
  const wrong: [string, object][] = [
    ['get_proof_status', { job_id: 'none' }],
    ['get_watch_alerts', { watch_id: nobody }],
    ['unwatch_answer', { watch_id: nobody }],
    ['query_vault', { query: 'x', limit: 51, corpora: [] }],
    ['get_proof_receipt', {}],
    ['get_session_context', { agent_id: 'a', token_budget: '500' }],
    ['request_sponsor', { session_token: 'svc_self_of.nobody.whatsoever' }],
    ['purchase_bundle', { agent_id: 'a', bundle_id: nobody, idempotency_key: 'nobody-sells-it' }],
  ];
  for (const [tool, args] of wrong) {
    const wanted = await readers['/rpc'].call(tool, args);
    expect([tool, wanted]).toMatchObject([
      tool,
      { error: { data: { type: expect.any(String), status: expect.any(Number) } } },
    ]);
    for (const name of TRANSPORTS)
      expect([tool, name, failureOf(await readers[name].call(tool, args))]).toEqual([tool, name, failureOf(wanted)]);
  }
});

it('a header serves for the key and for the token where the request holds one call', async () => {
  const { doer } = doers['/rpc'];
  const headers = { 'x-tenant-id': tenant.tenantId, 'x-api-key': doer.apiKey, 'x-idempotency-key': 'in the header' };
  const tip = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tip_platform',
    params: { agent_id: 'header', credits: 2 },
  });
  const alone = await send(tools.url, 'POST', '/rpc', tip(1), headers);
  expect(alone.body.result).toMatchObject({ agentId: 'header', credits: 2 });
  const again = await send(tools.url, 'POST', '/rpc', tip(2), headers);
  expect(again.body.result).toEqual({ ...alone.body.result, replayed: true });
  const both = await send(tools.url, 'POST', '/rpc', [tip(1), tip(2)], headers);
  expect(both.body.map(({ error }: any) => error.data.type)).toEqual([
    'IdempotencyKeyRequired',
    'IdempotencyKeyRequired',
  ]);
});
