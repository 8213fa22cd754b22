import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { ServerSecret } from '../../../src/common/sessions/server-secret.js';
import { TOOL_CALL_HEADER } from '../../../src/common/call-policy/tool-call-signer.js';
import { DecisionSweep } from '../../../src/modules/shield/core/tool-calls/tool-calls.sweeps.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { anotherKey, expectStatus, lift, mark, resolve, verdict, within, withToken } from './given.js';
import {
  callTool,
  countOf,
  decisionsOf,
  digestOf,
  query,
  refusalOf,
  signedHeadersOf,
  startToolProcess,
  tip,
  type ToolProcess,
} from './tool-process.js';

let api: TestApi;
let acme: TestTenant;
let tools: ToolProcess;
beforeAll(async () => {
  const env = { FEATURE_SELF_SIGNUP: '1', SVC_SELF_SIGNUP_PER_ADDRESS: '2', SVC_DECISION_RETENTION_DAYS: '7' };
  api = await startApi({ env });
  acme = api.tenant;
  tools = await startToolProcess(api.database);
});
afterEach(async () => {
  const { killSwitches } = (await acme.call('GET', '/v1/shield/kill-switches?active=true')).body;
  for (const body of killSwitches) await lift(acme, { body } as Answer);
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const retrieve = (headers: Record<string, string>, tenant = acme) =>
  tenant.call('POST', '/v1/retrieve', { query: 'lighthouse', includeCommons: false }, headers);
const found = (finding: string) => countOf(api.app.get(Metrics), 'svc_tool_call_seals_total', { finding });
const newest = async () =>
  (
    await decisionsOf(
      api.database,
      `tenant_id = 'acme' and decision_id = (select decision_id from shield_decision
    where tenant_id = 'acme' order by decided_at desc limit 1)`,
    )
  )[0];
const count = async () => (await decisionsOf(api.database, `tenant_id = 'acme'`)).length;

/** A signature of any content, with the right secret. */
async function forge(payload: unknown): Promise<string> {
  const key = await api.app.get(ServerSecret).sharedKeyFor('tool-calls');
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
const contentOf = (seal: string): any => JSON.parse(Buffer.from(seal.split('.')[0]!, 'base64url').toString());

/** Each tampered signature with its finding; `seal` is a valid one. */
async function tampered(seal: string): Promise<[finding: string, seal: string][]> {
  const [text, mac] = seal.split('.') as [string, string];
  const content = contentOf(seal);
  const other = { ...content, toolDigest: digestOf('another') };
  const changed = `${Buffer.from(JSON.stringify(other)).toString('base64url')}.${mac}`;
  return [
    ['not_whole', text],
    ['not_whole', `${seal}.`],
    ['not_whole', '.'],
    ['not_whole', await forge(null)],
    ['not_whole', await forge({ ...content, v: 2 })],
    ['forged', changed],
    ['forged', `${text}.${mac.slice(0, -4)}`],
    ['forged', `${text}.${createHmac('sha256', 'guessed').update(text).digest('base64url')}`],
    ['expired', await forge({ ...content, expiresAt: Date.now() - 1 })],
    ['another_caller', await forge({ ...content, principal: `key:${crypto.randomUUID()}` })],
    ['another_caller', await forge({ ...content, tenantId: 'other' })],
    ['another_route', await forge({ ...content, route: 'POST /v1/ingest' })],
  ];
}

/** Reads are let through from memory: the API hears of the switch within a second. */
async function stopReads(): Promise<void> {
  await mark(acme, 'POST /v1/retrieve', 'deny');
  const isStopped = async () => verdict(await retrieve({})) === '403 ShieldDenied kill_switch';
  expect(await within(5_000, isStopped)).toBe(true);
}

describe('a signed read', () => {
  it('was decided on before it came, and is not decided on again', async () => {
    const call = query(acme);
    const { decisionId } = await tools.admit(call);
    const seal = await signedHeadersOf(tools, call, { decisionId });
    // Set since the decision: the read was let through by it.
    await stopReads();
    const made = await count();
    expect((await retrieve(seal)).status).toBe(200);
    expect(await count()).toBe(made);
  });

  it('with an invalid signature is treated as an unsigned read', async () => {
    const call = query(acme);
    const { decisionId } = await tools.admit(call);
    const good = (await signedHeadersOf(tools, call, { decisionId }))[TOOL_CALL_HEADER]!;
    await stopReads();
    const bad = await tampered(good);
    bad.push(['good', await forge({ ...contentOf(good), decisionId: undefined })]);
    for (const [finding, seal] of bad) {
      const before = await found(finding);
      const answer = await retrieve({ [TOOL_CALL_HEADER]: seal });
      expect([seal, verdict(answer)]).toEqual([seal, '403 ShieldDenied kill_switch']);
      expect([seal, finding, await found(finding)]).toEqual([seal, finding, before + 1]);
      expect((await newest()).action).toBe('POST /v1/retrieve');
    }
    expect((await retrieve({ [TOOL_CALL_HEADER]: good })).status).toBe(200);
    // Another key of the same tenant gets nothing by it.
    const other = await anotherKey(api, acme);
    expect(verdict(await retrieve({ [TOOL_CALL_HEADER]: good }, other))).toBe('403 ShieldDenied kill_switch');
  });
});

describe('a signed effect', () => {
  it('leaves the one decision that it was admitted by', async () => {
    const asked = tip(acme);
    const before = await count();
    const { status, decisionId } = await callTool(tools, acme, asked);
    expect([status, await count()]).toEqual([201, before + 1]);
    expect(await newest()).toMatchObject({ decision_id: decisionId, action: 'tip_platform' });
  });

  it('with an invalid signature, or that of another request, is decided on as its route', async () => {
    const asked = tip(acme, { credits: 12 });
    const { decisionId } = await tools.admit(asked.call);
    const good = (await signedHeadersOf(tools, asked.call, { decisionId, request: { body: asked.body } }))[
      TOOL_CALL_HEADER
    ]!;
    const content = contentOf(good);
    const bad: [string, string, object][] = [
      ...(await tampered(good)).map(([finding, seal]): [string, string, object] => [finding, seal, asked.body]),
      ['another_request', good, { ...asked.body, credits: 13 }],
      ['another_request', good, { ...asked.body, message: 'more' }],
      // What is not bound to a request is good for reads alone.
      ['good', await forge({ ...content, requestDigest: undefined }), asked.body],
    ];
    for (const [finding, seal, body] of bad) {
      const before = await found(finding);
      const answer = await acme.call('POST', '/v1/economy/tip-platform', body, { [TOOL_CALL_HEADER]: seal });
      expect([seal, answer.status, await found(finding)]).toEqual([seal, 201, before + 1]);
      expect(await newest()).toMatchObject({
        action: 'POST /v1/economy/tip-platform',
        server_id: null,
        outcome: 'allow',
      });
    }
    const made = await count();
    const answer = await acme.call('POST', '/v1/economy/tip-platform', asked.body, { [TOOL_CALL_HEADER]: good });
    expect([answer.status, await count()]).toEqual([201, made]);
  });

  it('needs its approval also with the signature of a call that had none', async () => {
    const switched = await mark(acme, 'tip_platform');
    const approver = await anotherKey(api, acme);
    const asked = tip(acme, { credits: 14 });
    const { approvalRequestId } = (await refusalOf(tools.admit(asked.call))).facts;
    const { approvalToken } = (await resolve(approver, approvalRequestId)).body;
    const admitted = await tools.admit({ ...asked.call, approvalToken });
    const seal = await signedHeadersOf(tools, asked.call, { ...admitted, request: { body: asked.body } });
    const call = (headers: Record<string, string>) =>
      acme.call('POST', '/v1/economy/tip-platform', asked.body, headers);
    expect(verdict(await call({ ...seal, ...withToken('svc_appr_made_up') }))).toBe(
      '403 ShieldDenied approval_void unknown',
    );
    expect((await call(seal)).status).toBe(201);
    // The signature opens nothing without the approval.
    expect(verdict(await call(seal))).toBe('403 ShieldApprovalRequired');
    expect(verdict(await call({ ...seal, ...withToken(approvalToken) }))).toBe('403 ShieldDenied approval_void used');
    // Nor does the token without the signature: it is of the tool's call.
    await lift(acme, switched);
    await mark(acme, 'POST /v1/economy/tip-platform');
    expect(verdict(await call(withToken(approvalToken)))).toBe('403 ShieldDenied approval_void used');
  });

  it('is stopped by what was set since it was admitted, under the name of the tool', async () => {
    const asked = tip(acme, { credits: 15 });
    const { decisionId } = await tools.admit(asked.call);
    const seal = await signedHeadersOf(tools, asked.call, { decisionId, request: { body: asked.body } });
    const call = () => acme.call('POST', '/v1/economy/tip-platform', asked.body, seal);
    for (const target of ['tip_platform', 'POST /v1/economy/tip-platform']) {
      const switched = await mark(acme, target, 'deny');
      const refused = await call();
      expect(verdict(refused)).toBe('403 ShieldDenied kill_switch');
      expect(refused.body.decisionId).not.toBe(decisionId);
      expect(await newest()).toMatchObject({
        decision_id: refused.body.decisionId,
        action: 'tip_platform',
        server_id: 'svc-tools',
        tool_digest: asked.call.toolDigest,
        outcome: 'deny',
      });
      await lift(acme, switched);
    }
    await mark(acme, 'tip_platform');
    const refused = await call();
    expect(verdict(refused)).toBe('403 ShieldApprovalRequired');
    const { body } = await acme.call('GET', `/v1/shield/approvals/${refused.body.approvalRequestId}`);
    expect(body).toMatchObject({ action: 'tip_platform', arguments: asked.call.arguments });
    // The tool service finds the same request.
    expect((await refusalOf(tools.admit(asked.call))).facts.approvalRequestId).toBe(refused.body.approvalRequestId);
  });

  it('carries arguments of any length: what is too long is approved by its digest', async () => {
    const arguments_ = { agent_id: 'a', credits: 16, message: 'x'.repeat(20_000) };
    const { call: short, ...effect } = tip(acme, { credits: 16 });
    const call = { ...short, arguments: arguments_ };
    const { decisionId } = await tools.admit(call);
    const seal = await signedHeadersOf(tools, call, { decisionId, request: { body: effect.body } });
    expect(seal[TOOL_CALL_HEADER]!.length).toBeLessThan(2_000);
    await mark(acme, 'tip_platform');
    const refused = await acme.call('POST', '/v1/economy/tip-platform', effect.body, seal);
    const { body } = await acme.call('GET', `/v1/shield/approvals/${refused.body.approvalRequestId}`);
    expect([body.arguments, body.argumentsBytes]).toEqual([null, JSON.stringify(arguments_).length]);
    expect((await refusalOf(tools.admit(call))).facts.approvalRequestId).toBe(refused.body.approvalRequestId);
  });

  it('is the same request however its query is written', async () => {
    const { call } = tip(acme);
    const sealed = await signedHeadersOf(
      tools,
      { ...call, route: 'DELETE /v1/shield/kill-switches/:killSwitchId' },
      {
        decisionId: crypto.randomUUID(),
        request: { params: { killSwitchId: 'a-b' }, query: { reason: ['over'], none: [] } },
      },
    );
    const plain = await signedHeadersOf(tools, call, {
      request: { params: { killSwitchId: 'a-b' }, query: { reason: 'over' } },
    });
    const [one, other] = [sealed, plain].map((seal) => contentOf(seal[TOOL_CALL_HEADER]!).requestDigest);
    expect(one).toBe(other);
  });
});

describe('the client behind a signed request', () => {
  it('is the one that called the tool service, for the limits of public routes', async () => {
    const body = { agentFramework: 'test' };
    const register = (headers: Record<string, string> = {}) =>
      send(api.url, 'POST', '/v1/agents/register', body, headers);
    const from = async (clientAddress: string) => {
      const caller = tools.publicCallers.callerAt(clientAddress);
      const call = {
        ...query(acme),
        ...{ caller, tool: 'register_agent', route: 'POST /v1/agents/register', isRead: false, arguments: {} },
      };
      const { decisionId } = await tools.admit(call);
      return signedHeadersOf(tools, call, { decisionId, clientAddress, request: { body } });
    };
    const [one, two] = await Promise.all([from('192.0.2.1'), from('192.0.2.2')]);
    for (const seal of [one, one, two, two]) expect((await register(seal)).status).toBe(201);
    expect(verdict(await register(one))).toBe('429 RegistrationsLimited');
    expect(verdict(await register(two))).toBe('429 RegistrationsLimited');
    // Of this machine itself there was none yet; a signature of a tenant's call says nothing here.
    const foreign = await signedHeadersOf(tools, query(acme, { route: 'POST /v1/agents/register' }), {
      clientAddress: '192.0.2.3',
    });
    for (const headers of [{}, foreign]) expect((await register(headers)).status).toBe(201);
    expect(verdict(await register(foreign))).toBe('429 RegistrationsLimited');
    expect(verdict(await register())).toBe('429 RegistrationsLimited');
  });
});

describe('decisions', () => {
  it('that allowed as usual are removed after their time, and no others', async () => {
    const tenant = await api.addTenant('old');
    const call = query(tenant);
    const admitted = async () => (await tools.admit(call)).decisionId!;
    const plain = await admitted();
    const put = (ratePerMillion: number) =>
      expectStatus(201, tenant.call('POST', '/v1/shield/sampling-policies', { name: 'all', ratePerMillion }));
    await put(1_000_000);
    const sampled = await admitted();
    await put(0);
    const switched = await mark(tenant, 'query_vault');
    const { facts } = await refusalOf(tools.admit(call));
    const approver = await anotherKey(api, tenant);
    const { approvalToken } = (await resolve(approver, facts.approvalRequestId)).body;
    const { decisionId: approved } = await tools.admit({ ...call, approvalToken });
    await lift(tenant, switched);
    const age = (days: number) =>
      api.database.query(
        `update shield_decision set decided_at = now() - make_interval(days => $1) where tenant_id = 'old'`,
        [days],
      );
    const kept = async (ids: (string | undefined)[]) =>
      (await decisionsOf(api.database, 'decision_id = any($1)', [ids])).map(({ decision_id: id }) => id);
    const sweep = api.app.get(DecisionSweep);
    await age(6);
    await sweep.sweep();
    expect(await kept([plain])).toEqual([plain]);
    await age(8);
    const young = await admitted();
    await sweep.sweep();
    const left = await kept([plain, sampled, facts.decisionId, approved, young]);
    expect(new Set(left)).toEqual(new Set([sampled, facts.decisionId, approved, young]));
  });
});
