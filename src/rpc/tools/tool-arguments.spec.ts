import { describe, expect, it } from 'vitest';
import { TOOL_NAMES, type ToolName } from '../../common/contract/tool-names.js';
import { RPC_CODES, RpcFailure } from '../json-rpc.js';
import { derivedKey, readArguments, requestOf } from './tool-arguments.js';
import { makeServiceTools } from './service-tools.js';

const registry = makeServiceTools();
const find = (name: ToolName) => registry.find(name)!;
const read = (name: ToolName, params?: object) => readArguments(find(name), params);
/** The request that a call comes to. */
const request = (name: ToolName, params?: object) => requestOf(find(name), read(name, params).args);

function refusal(name: ToolName, params: object): RpcFailure {
  try {
    read(name, params);
  } catch (error) {
    if (error instanceof RpcFailure) return error;
    throw error;
  }
  throw new Error(`${name} took ${JSON.stringify(params)}`);
}
const issues = (name: ToolName, params: object) => refusal(name, params).data?.issues;
const JOB = '0198f2c4-7d3e-7abc-8def-0123456789ab';

describe('the arguments of a call', () => {
  it('are those that were sent, without what is about the call itself', () => {
    const params = {
      agent_id: 'a',
      credits: 5,
      idempotency_key: 'a key of mine',
      shield_approval_token: 'a token of theirs',
    };
    expect(read('tip_platform', params)).toEqual({
      args: { agent_id: 'a', credits: 5 },
      idempotencyKey: 'a key of mine',
      approvalToken: 'a token of theirs',
    });
    expect(read('request_sponsor', { session_token: 'svc_self_0123456789' })).toEqual({
      args: {},
      sessionToken: 'svc_self_0123456789',
    });
    expect(read('browse_bundles')).toEqual({ args: {} });
  });

  it('are not filled in with the defaults of the API, which an approval is not bound to', () => {
    expect(read('query_vault', { query: 'leave' }).args).toEqual({ query: 'leave' });
  });

  it('are taken by name alone', () => {
    const failure = refusal('query_vault', ['leave']);
    expect(failure.code).toBe(RPC_CODES.invalidParams);
    expect(failure.data).toMatchObject({
      type: 'ValidationFailed',
      status: 400,
      issues: [{ path: 'params', message: 'must be an object: query_vault takes its parameters by name' }],
    });
  });

  it('are refused all at once, each with its place and what to do', () => {
    const failure = refusal('query_vault', {
      query: 'a',
      limit: '8',
      lane: 'dark',
      corpus_ids: ['a', 7],
      agent_id: null,
      corpusIds: [],
      depth: 3,
    });
    expect(failure.code).toBe(-32602);
    expect(failure.data?.issues).toEqual(
      expect.arrayContaining([
        { path: 'params.query', message: 'must have at least 2 characters' },
        { path: 'params.limit', message: 'must be a whole number, and is a string' },
        { path: 'params.lane', message: 'must be one of light, verified, audit' },
        { path: 'params.corpus_ids[1]', message: 'must be a string, and is a number' },
        {
          path: 'params.agent_id',
          message: 'must be a string, and is null; leave it out where there is no value',
        },
        { path: 'params.corpusIds', message: 'is written corpus_ids here' },
        { path: 'params.depth', message: 'is not a parameter of query_vault; leave it out' },
      ]),
    );
    expect(failure.data?.issues).toHaveLength(7);
    expect(failure.message).toContain('params.');
    expect(issues('query_vault', {})).toEqual([{ path: 'params.query', message: 'is required' }]);
    expect(issues('query_vault', { query: 'leave', limit: 0 })).toEqual([
      { path: 'params.limit', message: 'must be at least 1' },
    ]);
    expect(issues('submit_feedback_survey', { answers: [{ scale: 3, mood: 'good' }] })).toEqual([
      { path: 'params.answers[0].question_id', message: 'is required' },
      { path: 'params.answers[0].mood', message: 'is not a member here; leave it out' },
    ]);
  });

  it('name the request that they were sent with', () => {
    const readWith = () => readArguments(find('query_vault'), {}, 'request-1');
    expect(readWith).toThrow(expect.objectContaining({ data: expect.objectContaining({ request_id: 'request-1' }) }));
  });

  it('of a number without bounds do not make errors without bounds', () => {
    const failure = refusal('query_vault', { query: 'leave', corpus_ids: new Array(100_000).fill(7) });
    expect(failure.data?.issues).toHaveLength(1);
  });

  it.each([
    ['a NUL', { query: 'le\0ave' }],
    ['half a surrogate pair', { query: 'le\ud800ave' }],
    ['a name that every object has', JSON.parse('{"query":"leave","__proto__":{"limit":1}}') as object],
    ['another', JSON.parse('{"query":"leave","constructor":{}}') as object],
    ['half a surrogate pair in a list', { query: 'leave', corpus_ids: ['\udc00'] }],
    ['a number without an end', { query: 'leave', limit: Infinity }],
  ])('with %s are refused', (_what, params) => {
    expect(refusal('query_vault', params).code).toBe(-32602);
  });

  it('under the name the API has for them are the same', () => {
    expect(read('get_proof_status', { id: JOB }).args).toEqual({ job_id: JOB });
    expect(read('unwatch_answer', { id: JOB, watch_id: JOB }).args).toEqual({ watch_id: JOB });
    expect(read('vote_feature_request', { id: JOB }).args).toEqual({ request_id: JOB });
    expect(read('watch_answer', { answer_id: 'a-1' }).args).toEqual({ target_id: 'a-1', target_type: 'answer' });
    expect(issues('get_proof_status', { id: 'a', job_id: 'b' })).toEqual([
      { path: 'params.id', message: 'is another name of job_id, and differs from it; send one of them' },
    ]);
  });

  it('may have members of objects in the former spelling, for one version, but not in both', () => {
    const watch = (query: object) => ({ target_type: 'query', query: { query: 'leave', ...query } });
    const former = { corpusIds: ['a'], includeCommons: false, minScore: 2 };
    const present = { corpus_ids: ['a'], include_commons: false, min_score: 2 };
    // Approvals and keys that are made of calls are the same for both.
    expect(read('watch_answer', watch(former))).toEqual(read('watch_answer', watch(present)));
    expect(issues('watch_answer', watch({ ...former, corpus_ids: ['b'] }))).toEqual([
      {
        path: 'params.query.corpusIds',
        message: 'is the former spelling of corpus_ids, which is there too; send corpus_ids alone',
      },
    ]);
    const answers = [{ question_id: 'q1', scale: 1 }, { questionId: 'q2', question_id: 'q2' }, { questionId: 7 }, 'x'];
    expect(issues('submit_feedback_survey', { answers })).toEqual([
      {
        path: 'params.answers[1].questionId',
        message: 'is the former spelling of question_id, which is there too; send question_id alone',
      },
      { path: 'params.answers[2].question_id', message: 'must be a string, and is a number' },
      { path: 'params.answers[3]', message: 'must be an object, and is a string' },
    ]);
    const doubled = new Array(1000).fill({ questionId: 'q', question_id: 'q' });
    expect(refusal('submit_feedback_survey', { answers: doubled }).data?.issues).toHaveLength(21);
    expect(read('proof_document', { mode: 'light', metadata: { answerId: 'a' } }).args).toEqual({
      mode: 'light',
      metadata: { answerId: 'a' },
    });
  });

  it('of get_proof_receipt have one of its two ids', () => {
    const message = 'must have exactly one of job_id and answer_id';
    expect(issues('get_proof_receipt', {})).toEqual([{ path: 'params', message }]);
    expect(issues('get_proof_receipt', { job_id: 'a', answer_id: 'b' })).toEqual([{ path: 'params', message }]);
  });

  it('in addition to the declared ones cannot take the place of a declared one', () => {
    expect(read('proof_document', { mode: 'light', ticket: 7 }).args).toEqual({ mode: 'light', ticket: 7 });
    for (const name of ['agentId', 'answerId', 'tenantId', 'idempotencyKey'])
      expect(issues('proof_document', { mode: 'light', [name]: 'x' })).toHaveLength(1);
  });
});

describe('the request to the API', () => {
  it('has each argument where the route has it', () => {
    expect(request('query_vault', { query: 'leave', corpus_ids: ['a', 'b'], include_commons: false })).toEqual({
      method: 'POST',
      address: 'POST /v1/retrieve',
      path: '/v1/retrieve',
      params: {},
      query: {},
      headers: {},
      body: { query: 'leave', corpusIds: ['a', 'b'], includeCommons: false },
    });
    expect(request('get_credit_escrow', { agent_id: 'me', status: 'failed', limit: 3 })).toEqual({
      method: 'GET',
      address: 'GET /v1/credits/:agentId/escrow',
      path: '/v1/credits/me/escrow?limit=3&status=failed',
      params: { agentId: 'me' },
      query: { limit: '3', status: 'failed' },
      headers: {},
    });
    expect(request('get_watches', { active: false }).path).toBe('/v1/watches?active=false');
    expect(request('vote_feature_request', { request_id: JOB, withdraw: true })).toMatchObject({
      path: `/v1/feedback/requests/${JOB}/vote`,
      params: { id: JOB },
      body: { withdraw: true },
    });
    expect(request('unwatch_answer', { watch_id: JOB })).not.toHaveProperty('body');
  });

  it('has text in its address that can lead nowhere else', () => {
    expect(request('get_credit_balance', { agent_id: 'a/../b?c=d#e%2F é' }).path).toBe(
      '/v1/credits/a%2F..%2Fb%3Fc%3Dd%23e%252F%20%C3%A9',
    );
    expect(request('browse_bundles', { q: 'a&b=c d' }).path).toBe('/v1/bundles?q=a%26b%3Dc%20d');
    for (const name of ['.', '..'])
      expect(issues('get_credit_balance', { agent_id: name })).toEqual([
        { path: 'params.agent_id', message: 'must not be . or .., which addresses cannot hold' },
      ]);
    expect(issues('get_credit_balance', { agent_id: '' })).toHaveLength(1);
  });

  it('of get_proof_receipt goes where the given id leads', () => {
    expect(request('get_proof_receipt', { job_id: 'a' })).toMatchObject({
      address: 'GET /v1/proof/jobs/:id/receipt',
      path: '/v1/proof/jobs/a/receipt',
    });
    expect(request('get_proof_receipt', { answer_id: 'a' })).toMatchObject({
      address: 'GET /v1/proof/answers/:answerId/receipt',
      path: '/v1/proof/answers/a/receipt',
      params: { answerId: 'a' },
    });
  });

  it('of one answer to a survey is a part of it', () => {
    const params = { question_id: 'q1', scale: 4, survey_id: 's', idempotency_key: 'a key of mine' };
    expect(request('respond_to_survey', params).body).toEqual({
      surveyId: 's',
      answers: [{ questionId: 'q1', scale: 4 }],
      partial: true,
    });
    const whole = { answers: [{ question_id: 'q1', scale: 4 }] };
    expect(request('submit_feedback_survey', whole).body).toEqual({ answers: [{ questionId: 'q1', scale: 4 }] });
  });

  it('spells what is in objects as the API does', () => {
    const query = { query: 'leave', corpus_ids: ['a'], include_commons: false, min_score: 2 };
    expect(request('watch_answer', { target_type: 'query', query }).body).toEqual({
      targetType: 'query',
      query: { query: 'leave', corpusIds: ['a'], includeCommons: false, minScore: 2 },
    });
    const metadata = { ticketNo: 7, ticket_no: 8, in: [{ answerId: 'a' }] };
    expect(request('proof_document', { mode: 'light', metadata }).body).toEqual({ mode: 'light', metadata });
  });

  it('keeps additional members of a proof', () => {
    expect(request('proof_document', { mode: 'audit', answer_id: 'a-1', ticket: { no: 7 } }).body).toEqual({
      mode: 'audit',
      answerId: 'a-1',
      ticket: { no: 7 },
    });
  });

  it('of every tool fills its address', () => {
    const values: Record<string, unknown> = { string: 'x'.repeat(20), integer: 1, boolean: true };
    for (const name of TOOL_NAMES) {
      const { members } = find(name);
      const args = Object.fromEntries(
        members.map((one) => [one.name, one.schema.enum ?? values[String(one.schema.type)]]),
      );
      expect(requestOf(find(name), args).path).toMatch(/^(\/[\w%.-]+)+(\?[\w=&%.-]+)?$/);
    }
  });
});

describe('the key that is made of a call', () => {
  const call = { tenantId: 't', principal: 'key:1', tool: 'watch_answer' };
  const args = { target_id: 'a', note: 'b' };
  const key = derivedKey({ ...call, arguments: args, state: null });

  it('is the same for the same call, whatever the order of its members', () => {
    expect(key).toMatch(/^auto-[0-9a-f]{64}$/);
    expect(derivedKey({ state: null, arguments: { note: 'b', target_id: 'a' }, ...call })).toBe(key);
  });

  it('differs by tenant, principal, tool, arguments and what the call rests on', () => {
    const others = [
      derivedKey({ ...call, arguments: args, state: null, tenantId: 'u' }),
      derivedKey({ ...call, arguments: args, state: null, principal: 'key:2' }),
      derivedKey({ ...call, arguments: args, state: null, tool: 'unwatch_answer' }),
      derivedKey({ ...call, arguments: { ...args, note: 'c' }, state: null }),
      derivedKey({ ...call, arguments: args, state: 'another watch' }),
    ];
    expect(new Set([key, ...others]).size).toBe(6);
  });
});
