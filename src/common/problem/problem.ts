/** A failure the caller can act on. Everything else is a bug and becomes a 500. */
export abstract class Problem extends Error {
  static readonly status: number;
  static readonly type: string;
  static readonly title: string;
  static readonly retryable: boolean;

  readonly facts: Record<string, unknown>;

  /** Where it was made is of no interest, and telling that costs more than all else of a refusal. */
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
}

export interface ProblemClass {
  new (facts: never, detail?: string): Problem;
  readonly status: number;
  readonly type: string;
  readonly title: string;
  readonly retryable: boolean;
}

/**
 * Declares one kind of problem (tenant-api.md 2.1 and 7).
 * @param status HTTP status
 * @param type stable short name on the wire, never reused or renamed
 * @param title one line for people, the same for every occurrence
 * @param retryable whether the same request may succeed later unchanged; 429 and 503 are
 */
export function problem<F extends Record<string, unknown> = Record<never, never>>(
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
