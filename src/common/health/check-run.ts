import { CheckFailed, type Check, type CheckFinding } from './check.js';

/**
 * How long a probe waits for one check. Checks run at once, so that an answer takes less than two seconds whatever
 * hangs.
 */
export const CHECK_TIMEOUT_MS = 1_500;

/** A check that could not run says nothing of its dependency, and may succeed the next moment. */
const ERROR_CACHE_MS = 500;

export interface CheckRunOptions {
  /** How long a finding is cached where the check does not say, in milliseconds. */
  cacheMs?: number;
  /** What is shown of an error that the check did not expect. */
  describe?: (error: Error) => string;
  /** Called with each finding when it is there, also with one that probes did not wait for. */
  onFinding?: (finding: CheckFinding) => void;
}

/** One check as probes see it: run once for all of them, cached for a moment, and not started again while it runs. */
export class CheckRun<Name extends string = string> {
  private running: { since: number; finding: Promise<CheckFinding> } | undefined;
  private last: { until: number; finding: CheckFinding } | undefined;

  constructor(
    readonly check: Check<Name>,
    private readonly options: CheckRunOptions = {},
  ) {}

  async read(): Promise<CheckFinding> {
    const { last } = this;
    if (last && performance.now() < last.until) return last.finding;
    this.running ??= { since: performance.now(), finding: this.find() };
    const { since, finding } = this.running;
    return this.within(Math.max(0, since + CHECK_TIMEOUT_MS - performance.now()), finding);
  }

  private async find(): Promise<CheckFinding> {
    const { describe = describeError, onFinding, cacheMs = 0 } = this.options;
    const { finding, maxCacheMs } = await this.check.run().then(
      (detail) => ({ finding: { ok: true, detail, samples: [] }, maxCacheMs: Infinity }),
      (error: Error) =>
        error instanceof CheckFailed
          ? { finding: failed(error.message, error.samples), maxCacheMs: Infinity }
          : { finding: failed(describe(error)), maxCacheMs: ERROR_CACHE_MS },
    );
    this.last = { until: performance.now() + Math.min(this.check.cacheMs ?? cacheMs, maxCacheMs), finding };
    this.running = undefined;
    onFinding?.(finding);
    return finding;
  }

  private async within(ms: number, finding: Promise<CheckFinding>): Promise<CheckFinding> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<CheckFinding>((resolve) => {
      timer = setTimeout(() => resolve(failed(UNANSWERED)), ms);
    });
    return Promise.race([finding, late]).finally(() => clearTimeout(timer));
  }
}

const UNANSWERED = `did not answer within ${CHECK_TIMEOUT_MS / 1000} s`;

const failed = (detail: string, samples: readonly string[] = []): CheckFinding => ({ ok: false, detail, samples });

/** Drivers put addresses and user names into their messages; the code says as much. */
const describeError = (error: NodeJS.ErrnoException): string =>
  `cannot be checked: ${error.code ? `${error.name} ${error.code}` : error.message}`;
