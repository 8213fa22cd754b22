import type { ProblemType } from './generated/problem-types.gen.js';

/** One thing that is wrong with a request. */
export interface ProblemIssue {
  /** The member, such as body.content. */
  path: string;
  message: string;
}

/**
 * A failure that a server answered (RFC 9457), or that there was no answer: `status` is 0 then, and `cause` says why.
 * Switch on `type`: `NotFound` at the tenant API and the tool service, `urn:svc:errors/not-found` at the daemon.
 */
export class SvcProblem extends Error {
  override readonly name = 'SvcProblem';
  /** One of those that the servers had when the package was made; a later server may have more. */
  readonly type: ProblemType | (string & {});
  readonly title: string;
  readonly status: number;
  readonly detail: string | undefined;
  /** What is wrong with the request, member by member. */
  readonly errors: readonly ProblemIssue[];
  /** By which the log of the server is searched. */
  readonly requestId: string | undefined;
  /** Whether the same request, unchanged, may succeed later. */
  readonly retryable: boolean;
  /** Seconds to wait before that. */
  readonly retryAfterSec: number | undefined;
  /** The whole body, with the facts of the case. */
  readonly body: Readonly<Record<string, unknown>>;

  private constructor(body: Record<string, unknown>, status: number, headers?: Headers, cause?: unknown) {
    const title = textOf(body.title) ?? `The server answered ${status}`;
    super(textOf(body.detail) ?? title, cause === undefined ? undefined : { cause });
    const wait = Number(body.retryAfterSec ?? headers?.get('retry-after') ?? NaN);
    this.type = textOf(body.type) ?? 'about:blank';
    this.title = title;
    this.status = status;
    this.detail = textOf(body.detail);
    this.errors = Array.isArray(body.issues) ? (body.issues as ProblemIssue[]) : [];
    this.requestId = textOf(body.request_id) ?? headers?.get('x-request-id') ?? undefined;
    this.retryable = body.retryable === true;
    this.retryAfterSec = Number.isFinite(wait) ? wait : undefined;
    this.body = body;
  }

  /** Of an answer that is no success, whose body was read already. */
  static ofAnswer({ status, headers }: Response, body: unknown): SvcProblem {
    return new SvcProblem(isObject(body) ? body : { detail: textOf(body) }, status, headers);
  }

  /** Of a request that nothing answered. */
  static ofSilence(cause: unknown): SvcProblem {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return new SvcProblem({ title: 'The server did not answer', detail, retryable: true }, 0, undefined, cause);
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
