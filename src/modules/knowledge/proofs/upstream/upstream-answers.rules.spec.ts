import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../common/problem/problem.js';
import { ProofJobUnknown } from '../proofs.problems.js';
import { away, readAnswer, type UpstreamQuestion, type UpstreamReply } from './upstream-answers.rules.js';

const UPSTREAM = 'https://proofs.example.com';
const CONTRACT = 'svc-proof/1';
const question = (members: Partial<UpstreamQuestion> = {}): UpstreamQuestion => ({
  upstream: UPSTREAM,
  isPack: false,
  unknown: () => new ProofJobUnknown({ jobId: 'j' }, 'The proof upstream has no such job'),
  ...members,
});
/** Without a body it was no JSON. */
const reply = (status: number, body?: unknown, retryAfter: string | null = null): UpstreamReply => ({
  status,
  body,
  retryAfter,
});
const PACK = question({ isPack: true });
const OF_JOB = question({ jobId: 'j' });

/** The problem that comes of a reply. */
function problemOf(asked: UpstreamQuestion, answered: UpstreamReply): Problem {
  try {
    readAnswer(asked, answered);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('the reply was taken');
}

describe('an answer of the upstream', () => {
  it('is taken under the contract, with whatever else it holds', () => {
    for (const status of [200, 202, 299])
      for (const ok of [true, false]) {
        const body = { ok, contract: CONTRACT, weather: ['rain'] };
        expect(readAnswer(question(), reply(status, body))).toBe(body);
      }
  });

  it('may be a pack under its format, or under the contract, where a pack was asked for', () => {
    expect(readAnswer(PACK, reply(200, { ok: true, format: 'svc-proofpack-v3' }))).toBeDefined();
    expect(readAnswer(PACK, reply(200, { ok: true, contract: CONTRACT, format: 'zip' }))).toBeDefined();
    expect(problemOf(question(), reply(200, { ok: true, format: 'svc-proofpack-v3' })).facts).toEqual({
      ...{ upstream: UPSTREAM, expected: CONTRACT, available: ['svc-proofpack-v3'] },
    });
  });

  it.each<[string, UpstreamQuestion, unknown, string[], string]>([
    ['that is no JSON', question(), undefined, [], 'answered something that is not a JSON object'],
    ['that is a list', question(), [{ ok: true }], [], 'answered something that is not a JSON object'],
    ['without a contract', question(), { ok: true }, [], 'answered under no contract'],
    [
      'under another contract',
      question(),
      { ok: true, contract: 'svc-proof/2', contracts: ['svc-proof/2', 'svc-proof/3', 4] },
      ['svc-proof/2', 'svc-proof/3'],
      'answered under "svc-proof/2"',
    ],
    ['without ok', question(), { contract: CONTRACT }, [CONTRACT], 'answered without a boolean ok'],
    ['whose ok is text', question(), { ok: 'true', contract: CONTRACT }, [CONTRACT], 'answered without a boolean ok'],
    ['that is a pack of another format', PACK, { ok: true, format: 'zip' }, ['zip'], 'answered under "zip"'],
    [
      'that is a pack under another contract',
      PACK,
      { ok: true, contract: 'other', format: 'svc-proofpack-v3' },
      ['other', 'svc-proofpack-v3'],
      'answered under "other"',
    ],
  ])('%s is 502 and says what there is', (_what, asked, body, available, message) => {
    const problem = problemOf(asked, reply(200, body));
    expect([problem.kind.status, problem.kind.type]).toEqual([502, 'UpstreamContractDrift']);
    expect(problem.facts).toMatchObject({ upstream: UPSTREAM, available });
    expect(problem.message).toContain(`The proof upstream ${UPSTREAM} ${message}; this server understands `);
  });

  it('names at most twenty contracts', () => {
    const contracts = Array.from({ length: 30 }, (_, i) => `svc-proof/${i + 2}`);
    expect(problemOf(question(), reply(200, { ok: true, contracts })).facts.available).toEqual(contracts.slice(0, 20));
  });
});

describe('a failure of the upstream', () => {
  it.each<[number, number, string]>([
    [199, 502, 'UpstreamRefused'],
    [302, 502, 'UpstreamRefused'],
    [400, 400, 'ValidationFailed'],
    [401, 502, 'UpstreamRefused'],
    [403, 502, 'UpstreamRefused'],
    [404, 404, 'ProofJobUnknown'],
    [409, 503, 'ServiceUnavailable'],
    [412, 502, 'UpstreamRefused'],
    [413, 413, 'PayloadTooLarge'],
    [418, 502, 'UpstreamRefused'],
    [422, 400, 'ValidationFailed'],
    [429, 503, 'ServiceUnavailable'],
    [500, 503, 'ServiceUnavailable'],
    [501, 503, 'ServiceUnavailable'],
    [502, 503, 'ServiceUnavailable'],
    [503, 503, 'ServiceUnavailable'],
    [504, 503, 'ServiceUnavailable'],
    [520, 503, 'ServiceUnavailable'],
  ])('%i is %i %s', (given, status, type) => {
    for (const body of [{ ok: true, contract: CONTRACT }, undefined, null, 'text']) {
      const { kind } = problemOf(question(), reply(given, body));
      expect([kind.status, kind.type]).toEqual([status, type]);
    }
  });

  it('that is refused names the status for the operator', () => {
    expect(problemOf(question(), reply(403)).facts).toEqual({ upstream: UPSTREAM, upstreamStatus: 403 });
  });

  it.each<[string | null, number]>([
    ['17', 17],
    ['0', 0],
    ['99999', 99_999],
    ['100000', 5],
    ['-1', 5],
    ['1.5', 5],
    ['Fri, 20 Nov 2026 10:00:00 GMT', 5],
    [null, 5],
  ])('with retry-after %j is tried again after %i s', (retryAfter, seconds) => {
    expect(problemOf(question(), reply(503, {}, retryAfter)).facts).toEqual({ retryAfterSec: seconds });
  });

  it('passes on the issues that are issues, and else says what it says', () => {
    const issues = [{ path: 'body.mode', message: 'must be light', secret: 1 }, { path: 7, message: 'x' }, 'text'];
    expect(problemOf(question(), reply(400, { message: 'no', issues })).facts).toEqual({
      issues: [{ path: 'body.mode', message: 'must be light' }],
    });
    const said = problemOf(question(), reply(422, { message: 'no mode', issues: [7] }));
    expect([said.message, said.facts]).toEqual(['no mode', { issues: [{ path: 'body', message: 'no mode' }] }]);
    expect(problemOf(question(), reply(400, { message: 7 })).message).toBe(
      'The proof upstream refused the request as invalid',
    );
  });

  it('in conflict is that of the job, where one is asked for', () => {
    const failed = problemOf(OF_JOB, reply(409, { type: 'ProofJobFailed', message: 'it broke' }));
    expect([failed.kind.type, failed.facts, failed.message]).toEqual(['ProofJobFailed', { jobId: 'j' }, 'it broke']);
    const unfinished = problemOf(OF_JOB, reply(409, { type: 'Other' }));
    expect([unfinished.kind.type, unfinished.facts]).toEqual(['ProofJobUnfinished', { jobId: 'j', retryAfterSec: 1 }]);
    expect(problemOf(question(), reply(409, { type: 'ProofJobFailed' })).facts).toEqual({ retryAfterSec: 1 });
  });

  it('to answer at all is retryable, and says whose it is', () => {
    const problem = away(UPSTREAM, 5, 'cannot be reached');
    expect([problem.retryable, problem.facts]).toEqual([true, { retryAfterSec: 5 }]);
    expect(problem.message).toBe(`The proof upstream ${UPSTREAM} cannot be reached; try again`);
  });
});
