import { isRecord } from '../../../../evidence/canonical-json.js';
import { PACK_FORMAT } from '../../../../evidence/pack-format.js';
import {
  PayloadTooLarge,
  ServiceUnavailable,
  ValidationFailed,
  type Issue,
} from '../../../../common/problem/common-problems.js';
import type { Problem } from '../../../../common/problem/problem.js';
import { ProofJobFailed, ProofJobUnfinished, UpstreamContractDrift, UpstreamRefused } from '../proofs.problems.js';
import { PROOF_CONTRACT } from '../proofs.types.js';

/** What came back from the upstream. `body` is undefined when it was not JSON. */
export interface UpstreamReply {
  status: number;
  body: unknown;
  retryAfter: string | null;
}

/** What was asked, as far as its failure depends on it. */
export interface UpstreamQuestion {
  /** Scheme, host and port of the upstream. */
  upstream: string;
  /** The answer of a pack route is a file of its own format. */
  isPack: boolean;
  jobId?: string;
  /** What an upstream's 404 means here. */
  unknown: () => Problem;
}

/** The members every answer of our contract has. */
export interface ProofAnswer extends Record<string, unknown> {
  ok: boolean;
}

/**
 * Reads a reply as an answer of our contract; its further members come through as they are.
 * @throws UpstreamContractDrift for a success we do not understand; otherwise the problem that the upstream's failure
 * is to our caller
 */
export function readAnswer(question: UpstreamQuestion, reply: UpstreamReply): ProofAnswer {
  if (reply.status < 200 || reply.status > 299) throw problemOf(question, reply);
  const { body } = reply;
  if (!isRecord(body)) throw drift(question, [], 'answered something that is not a JSON object');
  const named = question.isPack && body.contract === undefined ? body.format : body.contract;
  const expected = question.isPack && body.contract === undefined ? PACK_FORMAT : PROOF_CONTRACT;
  if (named !== expected) throw drift(question, contractsOf(body), `answered under ${describe(named)}`, expected);
  if (typeof body.ok !== 'boolean') throw drift(question, contractsOf(body), 'answered without a boolean ok', expected);
  return body as ProofAnswer;
}

function drift(
  { upstream }: UpstreamQuestion,
  available: string[],
  what: string,
  expected = PROOF_CONTRACT,
): UpstreamContractDrift {
  return new UpstreamContractDrift(
    { upstream, expected, available },
    `The proof upstream ${upstream} ${what}; this server understands ${expected}`,
  );
}

/** The contracts the upstream says it speaks: in `contract`, `contracts` or, of a pack, `format`. */
function contractsOf({ contract, contracts, format }: Record<string, unknown>): string[] {
  const named = [contract, ...(Array.isArray(contracts) ? (contracts as unknown[]) : []), format];
  return [...new Set(named.filter((name) => typeof name === 'string'))].slice(0, 20);
}

const describe = (named: unknown): string => (typeof named === 'string' ? JSON.stringify(named) : 'no contract');

function problemOf(question: UpstreamQuestion, reply: UpstreamReply): Problem {
  const { upstream } = question;
  const body = isRecord(reply.body) ? reply.body : {};
  const message = typeof body.message === 'string' ? body.message : undefined;
  switch (reply.status) {
    case 404:
      return question.unknown();
    case 400:
    case 422:
      return invalid(body, message ?? 'The proof upstream refused the request as invalid');
    case 409:
      return conflict(question, body, message);
    case 413:
      return new PayloadTooLarge({}, message ?? 'The proof upstream takes no request of this size');
    default:
      if (reply.status === 429 || reply.status >= 500)
        return away(upstream, secondsOf(reply.retryAfter), `answered ${reply.status}`);
      return new UpstreamRefused(
        { upstream, upstreamStatus: reply.status },
        `The proof upstream answered ${reply.status}: its address or this server's credential there is not right`,
      );
  }
}

function invalid(body: Record<string, unknown>, message: string): ValidationFailed {
  const given = Array.isArray(body.issues) ? (body.issues as unknown[]).filter(isIssue) : [];
  const issues = given.length > 0 ? given.map(({ path, message: what }) => ({ path, message: what })) : [];
  return new ValidationFailed({ issues: issues.length > 0 ? issues : [{ path: 'body', message }] }, message);
}

const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && typeof value.path === 'string' && typeof value.message === 'string';

function conflict({ upstream, jobId }: UpstreamQuestion, body: Record<string, unknown>, message?: string): Problem {
  if (jobId !== undefined && body.type === 'ProofJobFailed') return new ProofJobFailed({ jobId }, message);
  if (jobId !== undefined) return new ProofJobUnfinished({ jobId, retryAfterSec: 1 }, message);
  return away(upstream, 1, 'is still at work on the first request');
}

/** The upstream cannot answer just now. */
export function away(upstream: string, retryAfterSec: number, what: string): ServiceUnavailable {
  return new ServiceUnavailable({ retryAfterSec }, `The proof upstream ${upstream} ${what}; try again`);
}

/** retry-after in seconds (RFC 9110 section 10.2.3); a date or nothing counts as 5. */
function secondsOf(retryAfter: string | null): number {
  return retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : 5;
}
