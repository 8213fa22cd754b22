import { describe, expect, it } from 'vitest';
import type { ToolName } from '../../common/contract/tool-names.js';
import { invalid, ServiceUnavailable, ShieldDenied } from '../../common/problem/common-problems.js';
import { failureOf, failureOfProblem } from './tool-errors.js';
import { makeServiceTools } from './service-tools.js';

const registry = makeServiceTools();
const answered = (status: number, body: unknown, name: ToolName = 'query_vault') =>
  failureOf(status, body, registry.find(name));

describe('an error of the API', () => {
  it.each([
    [400, 'ValidationFailed', -32602],
    [400, 'IdempotencyKeyRequired', -32602],
    [401, 'Unauthorized', -32000],
    [403, 'Forbidden', -32001],
    [403, 'ShieldApprovalRequired', -32002],
    [403, 'ShieldDenied', -32003],
    [404, 'WatchUnknown', -32004],
    [409, 'WatchExists', -32005],
    [412, 'FeatureDisabled', -32008],
    [413, 'PayloadTooLarge', -32602],
    [415, 'UnsupportedMediaType', -32602],
    [422, 'IdempotencyKeyReused', -32005],
    [429, 'CreditsExhausted', -32007],
    [429, 'QuotaExhausted', -32007],
    [429, 'RegistrationsLimited', -32006],
    [500, 'InternalError', -32603],
    [502, 'UpstreamContractDrift', -32009],
    [503, 'ServiceUnavailable', -32009],
    [418, 'Teapot', -32603],
  ])('%i %s is returned as %i, with its body', (status, type, code) => {
    const body = { type, status, message: 'What to do', decisionId: 'd' };
    const failure = answered(status, body);
    expect(failure).toMatchObject({ code, message: 'What to do' });
    expect(failure.data).toEqual(body);
  });

  it('says of an address that the API does not have that the tool is not offered', () => {
    const { code, message } = answered(404, { type: 'NotFound', status: 404, message: 'See /docs' }, 'register_agent');
    expect([code, message]).toEqual([
      -32004,
      'This server does not offer register_agent: POST /v1/agents/register is switched off',
    ]);
  });

  it('names parameters of the tool, in its places and in its words', () => {
    const { data, message } = answered(
      400,
      {
        type: 'ValidationFailed',
        message: 'as the API says it',
        detail: 'as the API says it',
        issues: [
          { path: 'body.targetId', message: 'is needed where targetType is answer' },
          { path: 'body.query.minScore', message: 'minScore must not be less than 0' },
          { path: 'body.webhookUrl', message: 'webhookUrl must be an absolute URI' },
          { path: 'headers.x-idempotency-key', message: 'must be longer' },
        ],
      },
      'watch_answer',
    );
    expect(data?.issues).toEqual([
      { path: 'params.target_id', message: 'is needed where target_type is answer' },
      { path: 'params.query.min_score', message: 'min_score must not be less than 0' },
      { path: 'params.webhook_url', message: 'webhook_url must be an absolute URI' },
      { path: 'params.idempotency_key', message: 'must be longer' },
    ]);
    expect(message).toMatch(/^params\.target_id: is needed where target_type is answer; params\.query\.min_score/);
    expect(data).toMatchObject({ message, detail: message });
  });

  it('names them by the names they have here', () => {
    const issuesOf = (name: ToolName, path: string, message: string) =>
      answered(400, { type: 'ValidationFailed', issues: [{ path, message }] }, name).data?.issues;
    expect(issuesOf('get_watch_alerts', 'path.id', 'id must be a UUID')).toEqual([
      { path: 'params.watch_id', message: 'id must be a UUID' },
    ]);
    expect(issuesOf('respond_to_survey', 'body.answers[0].questionId', 'is no question')).toEqual([
      { path: 'params.question_id', message: 'is no question' },
    ]);
    expect(issuesOf('submit_feedback_survey', 'body.answers[0].questionId', 'is no question')).toEqual([
      { path: 'params.answers[0].question_id', message: 'is no question' },
    ]);
    expect(issuesOf('proof_document', 'body.artefact_id', 'names another thing than body.answerId')).toEqual([
      { path: 'params.artefact_id', message: 'names another thing than params.answer_id' },
    ]);
    expect(issuesOf('query_vault', 'body', 'must be a JSON object')).toEqual([
      { path: 'params', message: 'must be a JSON object' },
    ]);
  });

  it.each([
    [200, { enabled: false, flag: 'SVCD_OBSERVE' }, { type: 'FeatureDisabled', status: 412 }],
    [404, { type: 'https://svc.dev/errors/flag-off', title: 'Not Found', status: 404, flag: 'SVCD_OBSERVE' }, {}],
    [501, { type: 'urn:svc:error/plane-off', title: 'Not Implemented', status: 501, flag: 'SVCD_OBSERVE' }, {}],
  ])('of the daemon that something is off (%i) names the switch and how to set it', (status, body, more) => {
    const detail = 'This is switched off; set SVCD_OBSERVE=1';
    const failure = answered(status, { ...body, detail });
    expect(failure).toMatchObject({ code: -32008, message: detail });
    expect(failure.data).toMatchObject({ ...body, ...more, detail, feature: 'SVCD_OBSERVE' });
  });

  it('of the daemon is reported by its detail, and names parameters', () => {
    const type = 'https://svc.dev/errors/fact-unknown';
    expect(answered(404, { type, title: 'Not Found', status: 404, detail: 'There is no such fact' })).toMatchObject({
      code: -32004,
      message: 'There is no such fact',
    });
    const unfit = answered(
      400,
      {
        type: 'https://svc.dev/errors/validation-failed',
        title: 'The request does not match its description',
        issues: [{ path: 'body.query', message: 'must be a string' }],
      },
      'query_vault',
    );
    expect(unfit.message).toBe('params.query: must be a string');
  });

  it.each([
    [502, undefined, -32009, true],
    [504, 'Gateway Timeout', -32009, true],
    [500, { oops: 1 }, -32603, false],
    [404, '<html>', -32004, false],
    [200, null, -32603, false],
  ])('that is none of its own (%i %j) is returned without its text', (status, body, code, retryable) => {
    const failure = answered(status, body);
    expect(failure.code).toBe(code);
    expect(failure.data).toMatchObject({ type: 'UpstreamUnreadable', status, retryable, message: failure.message });
  });
});

describe('a problem of the tool service', () => {
  it('is returned as the API would return it', () => {
    const denial = { type: 'kill_switch', reason: 'Incident 7' };
    const failure = failureOfProblem(new ShieldDenied({ denial, decisionId: 'd-1' }, 'No'), 'r-1');
    expect(failure).toMatchObject({ code: -32003, message: 'No' });
    expect(failure.data).toMatchObject({
      type: 'ShieldDenied',
      status: 403,
      denial,
      decisionId: 'd-1',
      request_id: 'r-1',
      code: 'SHIELD_DENIED',
      retryable: false,
    });
    expect(failureOfProblem(new ServiceUnavailable({ retryAfterSec: 2 }), 'r-2').data).toMatchObject({
      retryable: true,
      retryAfterSec: 2,
      message: 'The service cannot answer just now',
    });
    expect(failureOfProblem(invalid('params.query', 'is required')).data).not.toHaveProperty('request_id');
  });
});
