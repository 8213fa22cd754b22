import { ProtocolError, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApprovalHandoverService } from '../../../src/modules/shield/core/approvals/approval-handover.service.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { anotherKey, expectStatus, lift, resolve } from '../shield/given.js';
import { connect, envelope, mirrored, REVISIONS, type ClientOptions } from './mcp-clients.js';

let api: TestApi;
let tools: TestTools;
let asker: TestTenant;
let approver: TestTenant;
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: '0' } });
  asker = api.tenant;
  approver = await anotherKey(api, asker);
  await expectStatus(
    201,
    asker.call('POST', '/v1/shield/kill-switches', {
      scope: 'action',
      target: 'submit_feature_request',
      mode: 'require_approval',
      reason: 'Requests are reviewed',
    }),
  );
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const client = (options?: ClientOptions, tenant = asker) => connect(tools.url, tenant, options);
const TOOL = 'submit_feature_request';
let titles = 0;
const wanted = (members: object = {}) => ({
  title: `Wanted ${++titles}`,
  body: 'Because',
  idempotency_key: crypto.randomUUID(),
  ...members,
});
const made = async (title: string): Promise<number> =>
  (await asker.call('GET', `/v1/feedback/requests?q=${encodeURIComponent(title)}`)).body.requests.filter(
    (one: { title: string }) => one.title === title,
  ).length;

const requestIn = ({ message }: ElicitRequest['params']): string =>
  /\/v1\/shield\/approvals\/([0-9a-f-]{36})\/resolve/.exec(message)![1]!;
const approve = async (asked: ElicitRequest['params']): Promise<string> =>
  (await expectStatus(200, resolve(approver, requestIn(asked)))).body.approvalToken;
const reject = (asked: ElicitRequest['params']) =>
  expectStatus(200, resolve(approver, requestIn(asked), { decision: 'reject', reason: 'Not this year' }));

describe('a call that needs an approval', () => {
  it('waits for it with the user of a client that can ask, and has its effect once', async () => {
    const asked: ElicitRequest['params'][] = [];
    const mcp = await client({
      answer: async (params) => {
        asked.push(params);
        await approve(params);
        return { action: 'accept', content: {} };
      },
    });
    const args = wanted();
    const result = await mcp.callTool({ name: TOOL, arguments: args });
    expect(result).toMatchObject({ isError: false, structuredContent: { title: args.title, status: 'open' } });
    expect(asked).toEqual([
      {
        mode: 'form',
        message: expect.stringMatching(/^submit_feature_request needs the approval of another owner/),
        // No form may ask for a credential, and the token of an approval is one.
        requestedSchema: { type: 'object', properties: {} },
      },
    ]);
    // Repeated with its key the call answers what it answered, and asks nobody.
    const again = await mcp.callTool({ name: TOOL, arguments: args });
    expect([again.structuredContent, asked.length, await made(args.title)]).toEqual([result.structuredContent, 1, 1]);
    await mcp.close();
  });

  it('is asked about again as long as nobody has decided', async () => {
    const messages: string[] = [];
    const mcp = await client({
      answer: async (params) => {
        messages.push(params.message);
        if (messages.length === 3) await approve(params);
        return { action: 'accept', content: {} };
      },
    });
    const args = wanted();
    expect(await mcp.callTool({ name: TOOL, arguments: args })).toMatchObject({ isError: false });
    const [first, second, third] = messages;
    expect([second, third]).toEqual([`It is not approved yet. ${first}`, `It is not approved yet. ${first}`]);
    expect(await made(args.title)).toBe(1);
    await mcp.close();
  });

  it.each<[string, (asked: ElicitRequest['params']) => Promise<ElicitResult>, string, string]>([
    ['its user declines', async () => ({ action: 'decline' }), 'ApprovalGivenUp', 'The user chose decline'],
    ['its user looks away', async () => ({ action: 'cancel' }), 'ApprovalGivenUp', 'The user chose cancel'],
    [
      'the owner refuses',
      async (asked) => {
        await reject(asked);
        return { action: 'accept' };
      },
      'ApprovalRejected',
      'Not this year',
    ],
  ])('ends without effect when %s', async (_what, answer, type, detail) => {
    const mcp = await client({ answer });
    const args = wanted();
    expect(await mcp.callTool({ name: TOOL, arguments: args })).toMatchObject({
      isError: true,
      _meta: {
        'svc/error': {
          code: -32001,
          data: { type, status: 403, retryable: false, detail: expect.stringContaining(detail) },
        },
      },
    });
    expect(await made(args.title)).toBe(0);
    await mcp.close();
  });

  it.each(REVISIONS)('is an error of the protocol for a client of %s that cannot ask anybody', async (revision) => {
    const mcp = await client({ revision });
    const args = wanted();
    const error = await mcp.callTool({ name: TOOL, arguments: args }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    const { code, data } = error as ProtocolError;
    expect([code, data]).toEqual([
      -31002,
      expect.objectContaining({
        type: 'ShieldApprovalRequired',
        code: 'SHIELD_APPROVAL_REQUIRED',
        status: 403,
        approvalRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      }),
    ]);
    // The token that the approver was shown goes with the same arguments.
    const { approvalRequestId } = data as { approvalRequestId: string };
    const { approvalToken } = (await expectStatus(200, resolve(approver, approvalRequestId))).body;
    const call = { name: TOOL, arguments: { ...args, shield_approval_token: approvalToken } };
    expect(await mcp.callTool(call)).toMatchObject({ isError: false, structuredContent: { title: args.title } });
    expect(await mcp.callTool(call)).toMatchObject({ isError: false, structuredContent: { title: args.title } });
    expect(await made(args.title)).toBe(1);
    const reused = await mcp
      .callTool({ name: TOOL, arguments: { ...call.arguments, idempotency_key: crypto.randomUUID() } })
      .catch((thrown: unknown) => thrown);
    expect(reused).toMatchObject({ code: -32003, data: { type: 'ShieldDenied', denial: { cause: 'used' } } });
    await mcp.close();
  });

  it('is an error, too, for a client of the handshake that can ask: over HTTP nothing is known of the handshake', async () => {
    const mcp = await client({ revision: '2025-11-25', answer: () => ({ action: 'accept', content: {} }) });
    const error = await mcp.callTool({ name: TOOL, arguments: wanted() }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -31002, data: { type: 'ShieldApprovalRequired' } });
    await mcp.close();
  });
});

describe('the rounds of such a call', () => {
  const CAN_ASK = { elicitation: { form: {} } };
  const ACCEPTED = { approval: { action: 'accept', content: {} } };
  const post = (
    params: object,
    { capabilities = CAN_ASK, tenant = asker }: { capabilities?: object; tenant?: TestTenant } = {},
  ) =>
    send(tools.url, 'POST', '/mcp', envelope('tools/call', { name: TOOL, ...params }, capabilities), {
      ...mirrored('tools/call', TOOL),
      'x-tenant-id': tenant.tenantId,
      'x-api-key': tenant.apiKey,
    });
  const begin = async (args: object) => {
    const { body } = await post({ arguments: args });
    expect(body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { approval: { method: 'elicitation/create', params: { mode: 'form' } } },
      requestState: expect.any(String),
    });
    return body.result;
  };
  const INVALID_STATE = { code: -32602, data: { reason: 'invalid_request_state' } };

  it('are asked for again where the answer is missing, different or invalid', async () => {
    const args = wanted();
    const { requestState } = await begin(args);
    for (const inputResponses of [undefined, {}, { other: ACCEPTED.approval }, { approval: 12345 }, { approval: {} }]) {
      const { body } = await post({ arguments: args, requestState, inputResponses });
      expect(body.result).toMatchObject({ resultType: 'input_required', inputRequests: { approval: {} } });
    }
    expect(await made(args.title)).toBe(0);
  });

  it('ignore any other answer', async () => {
    const args = wanted();
    const { requestState, inputRequests } = await begin(args);
    await approve(inputRequests.approval.params);
    const inputResponses = { ...ACCEPTED, unknown_extra_key: { action: 'decline' } };
    expect((await post({ arguments: args, requestState, inputResponses })).body.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { title: args.title },
    });
  });

  it('are bound to the call, its caller and the question', async () => {
    const args = wanted();
    const { requestState, inputRequests } = await begin(args);
    await approve(inputRequests.approval.params);
    const rest = { requestState, inputResponses: ACCEPTED };
    const refusals = [
      await post({ ...rest, arguments: args, requestState: `${requestState}-TAMPERED` }),
      await post({ ...rest, arguments: args, requestState: 'v1.bm90aGluZw.bm90aGluZw' }),
      await post({ ...rest, arguments: { ...args, title: 'Something else' } }),
      await post({ ...rest, arguments: args }, { tenant: approver }),
    ];
    expect(refusals.map(({ body }) => body.error)).toEqual(refusals.map(() => expect.objectContaining(INVALID_STATE)));
    expect(await made(args.title)).toBe(0);
    // Another key of the effect is not what an approval is about.
    const renamed = { ...args, idempotency_key: crypto.randomUUID() };
    expect((await post({ ...rest, arguments: renamed })).body.result).toMatchObject({ resultType: 'complete' });
    expect(await made(args.title)).toBe(1);
  });

  it('have one effect when the last is sent many times at once', async () => {
    const args = wanted();
    const { requestState, inputRequests } = await begin(args);
    await approve(inputRequests.approval.params);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post({ arguments: args, requestState, inputResponses: ACCEPTED })),
    );
    expect(await made(args.title)).toBe(1);
    const complete = answers.filter(({ body }) => body.result?.resultType === 'complete' && !body.result.isError);
    expect(complete.length).toBeGreaterThan(0);
    // The answer that got lost is had by sending the last round again.
    const { body } = await post({ arguments: args, requestState, inputResponses: ACCEPTED });
    expect(body.result.structuredContent).toEqual(complete[0]!.body.result.structuredContent);
    expect(await made(args.title)).toBe(1);
  });

  it('make the token that the approver was shown void, so that the call has one effect, by either token', async () => {
    const args = wanted();
    const { requestState, inputRequests } = await begin(args);
    const token = await approve(inputRequests.approval.params);
    expect((await post({ arguments: args, requestState, inputResponses: ACCEPTED })).body.result).toMatchObject({
      resultType: 'complete',
    });
    const { body } = await post({
      arguments: { ...args, idempotency_key: crypto.randomUUID(), shield_approval_token: token },
    });
    expect(body.error).toMatchObject({ code: -32003, data: { denial: { type: 'approval_void', cause: 'unknown' } } });
    expect(await made(args.title)).toBe(1);
  });

  it('start again when the policy changed since the approval', async () => {
    const args = wanted();
    const { requestState, inputRequests } = await begin(args);
    await approve(inputRequests.approval.params);
    const lost = { scope: 'principal', target: `key:${approver.keyId}`, reason: 'Lost' };
    const switched = await expectStatus(201, asker.call('POST', '/v1/shield/kill-switches', lost));
    const { body } = await post({ arguments: args, requestState, inputResponses: ACCEPTED });
    expect(body.result).toMatchObject({ resultType: 'input_required' });
    expect(requestIn(body.result.inputRequests.approval.params)).not.toBe(requestIn(inputRequests.approval.params));
    expect(await made(args.title)).toBe(0);
    await lift(asker, switched);
  });

  it.each([
    ['what it can be asked for by address alone', { elicitation: { url: {} } }, false],
    ['nothing', {}, false],
    ['sampling', { sampling: {} }, false],
    ['elicitation of no said mode, which is by form', { elicitation: {} }, true],
    ['both modes', { elicitation: { form: {}, url: {} } }, true],
  ])('are not asked for of a client that declares otherwise: %s', async (_what, capabilities, isAsked) => {
    const { status, body } = await post({ arguments: wanted() }, { capabilities });
    expect(status).toBe(200);
    if (isAsked) expect(body.result.resultType).toBe('input_required');
    else expect(body.error).toMatchObject({ code: -31002 });
  });
});

describe('the hand-over of an approval', () => {
  const take = (approvalRequestId: string, { tenantId = 'acme', keyId = asker.keyId } = {}) =>
    tools.app
      .get(ApprovalHandoverService, { strict: false })
      .take({ tenantId, principal: `key:${keyId}` }, approvalRequestId);
  const propose = async (): Promise<string> => {
    const { title, body: text } = wanted();
    const body = { action: 'POST /v1/feedback/requests', arguments: { body: { title, body: text } }, reason: 'Ahead' };
    return (await expectStatus(201, asker.call('POST', '/v1/shield/approvals/propose', body))).body.approvalRequestId;
  };

  it('goes to the caller that asked alone, and for the approved call alone', async () => {
    const id = await propose();
    expect(await take(id)).toEqual({ state: 'pending' });
    await expectStatus(200, resolve(approver, id));
    const unrelated = await api.addTenant('unrelated');
    expect(await take(id, { keyId: approver.keyId })).toBeUndefined();
    expect(await take(id, { tenantId: 'unrelated' })).toBeUndefined();
    expect(await take(id, { tenantId: 'unrelated', keyId: unrelated.keyId })).toBeUndefined();
    expect(await take('01900000-0000-7000-8000-000000000000')).toBeUndefined();
    expect(await take(id)).toEqual({ state: 'approved', token: expect.stringMatching(/^svc_appr_/) });
  });

  it('reports what became of a request that was rejected or has expired', async () => {
    const [refused, late] = [await propose(), await propose()];
    await expectStatus(200, resolve(approver, refused, { decision: 'reject', reason: 'Not this year' }));
    expect(await take(refused)).toEqual({ state: 'rejected', reason: 'Not this year' });
    await expectStatus(200, resolve(approver, late));
    await api.database.query(`update shield_approval set expires_at = now() where approval_request_id = $1`, [late]);
    expect(await take(late)).toEqual({ state: 'expired', reason: 'Looks right' });
  });

  it('keeps no token in clear', async () => {
    const id = await propose();
    await expectStatus(200, resolve(approver, id));
    const found = await take(id);
    const rows = await api.database.query('select * from shield_approval where approval_request_id = $1', [id]);
    expect(found?.state).toBe('approved');
    expect(JSON.stringify(rows)).not.toContain((found as { token: string }).token);
  });
});
