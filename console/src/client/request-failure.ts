/** What both servers say of a refusal (RFC 9457), as far as the console reads it. */
interface Problem {
  type?: string;
  title?: string;
  detail?: string;
  message?: string;
  code?: string;
  request_id?: string;
  flag?: string;
  retryAfterSec?: number;
  retry_after_seconds?: number;
  required_scopes?: string[];
  issues?: { path?: string; field?: string; message: string }[];
}

/** What a screen can do about a refusal. */
export type FailureKind =
  | 'unreachable'
  | 'signed-out'
  | 'forbidden'
  | 'switched-off'
  | 'not-found'
  | 'busy'
  | 'invalid'
  | 'conflict'
  | 'broken';

/** A request that had no answer (`status` 0), or one that refuses. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** When the server may be asked again, as far as it says so; Unix milliseconds. */
  readonly retryAt: number | undefined;

  constructor(
    readonly status: number,
    readonly problem: Problem,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(problem.detail ?? problem.message ?? problem.title ?? 'The server did not answer');
    this.retryAt = retryAfterSeconds === undefined ? undefined : Date.now() + retryAfterSeconds * 1_000;
  }

  get title(): string {
    return this.problem.title ?? 'No answer';
  }

  get requestId(): string | undefined {
    return this.problem.request_id;
  }

  /** The setting that turns on what was asked for. */
  get flag(): string | undefined {
    return this.problem.flag;
  }

  get kind(): FailureKind {
    if (OFF_CODES.includes(this.problem.code ?? '') || this.problem.type === 'FeatureDisabled') return 'switched-off';
    return KINDS[this.status] ?? (this.status >= 500 ? 'broken' : 'invalid');
  }

  /** Another attempt may succeed soon, with nothing changed. */
  get isTransient(): boolean {
    if (this.kind === 'busy') return (this.retryAfterSeconds ?? 0) <= LONGEST_WAIT_SECONDS;
    return this.kind === 'unreachable';
  }
}

/** Nobody looks longer at what is loading. */
export const LONGEST_WAIT_SECONDS = 15;

const OFF_CODES = ['FLAG_OFF', 'PLANE_OFF'];

const KINDS: Partial<Record<number, FailureKind>> = {
  0: 'unreachable',
  401: 'signed-out',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  429: 'busy',
  502: 'unreachable',
  503: 'busy',
  504: 'unreachable',
};

/** A refusal as the servers write it; of another form where something between them answered. */
export function failureOf(error: unknown, response: Response | undefined): RequestFailure {
  if (!response) return new RequestFailure(0, { title: 'The server does not answer' }, undefined);
  const problem = typeof error === 'object' && error !== null ? (error as Problem) : { title: response.statusText };
  const header = Number(response.headers.get('retry-after') ?? NaN);
  const seconds = Number.isFinite(header) ? header : (problem.retryAfterSec ?? problem.retry_after_seconds);
  return new RequestFailure(response.status, problem, seconds);
}
