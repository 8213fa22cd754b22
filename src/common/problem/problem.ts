/** A failure the caller can act on. Everything else is a bug and becomes a 500. */
export abstract class Problem extends Error {
  static readonly status: number;
  static readonly type: string;
  static readonly title: string;
  static readonly retryable: boolean;
  /** What a case of it may hold, for the documentation: its detail and its facts. */
  static readonly example: ProblemExample = {};

  readonly facts: Record<string, unknown>;

  /** No stack trace: where it was made is of no interest, and the trace costs more than all else of a refusal. */
  constructor(facts: Record<string, unknown>, detail?: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail ?? '');
    Error.stackTraceLimit = stackTraceLimit;
    this.facts = facts;
  }

  get kind(): ProblemClass {
    return this.constructor as ProblemClass;
  }

  /** Of its kind, unless a kind decides it for each case. */
  get retryable(): boolean {
    return this.kind.retryable;
  }
}

export interface ProblemClass {
  new (facts: never, detail?: string): Problem;
  readonly status: number;
  readonly type: string;
  readonly title: string;
  readonly retryable: boolean;
  readonly example: ProblemExample;
}

/** A case of a kind of problem, as the documentation shows it. */
export type ProblemExample = { detail?: string } & Record<string, unknown>;

/** The members of every error body (RFC 9457 and ours): a fact of the case has another name. */
type BodyMember = 'type' | 'title' | 'status' | 'detail' | 'instance' | 'message' | 'code' | 'request_id' | 'retryable';

/** The facts of one case, as further members of the error body. */
export type Facts = Record<string, unknown> & { [member in BodyMember]?: never };

/**
 * Declares one kind of problem (tenant-api.md 2.1 and 7).
 * @param status HTTP status
 * @param type stable short name on the wire, never reused or renamed
 * @param title one line for people, the same for every occurrence
 * @param retryable whether the same request may succeed later unchanged; 429 and 503 are
 */
export function problem<F extends Facts = Record<never, never>>(
  status: number,
  type: string,
  title: string,
  retryable = status === 429 || status === 503,
) {
  return class extends Problem {
    static override readonly status = status;
    static override readonly type = type;
    static override readonly title = title;
    static override readonly retryable = retryable;

    constructor(facts: F, detail?: string) {
      super(facts, detail);
    }
  };
}
