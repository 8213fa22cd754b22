/** First wait before a restart, in milliseconds; it doubles with every crash in a row. */
const FIRST_MS = 250;
const MAX_MS = 5_000;

/** After running this long without a crash, the next crash counts as the first again. */
const STEADY_MS = 30_000;

/**
 * Exponential back-off between restarts of one process. Times are in milliseconds; `ranFor` is how long the process
 * lived.
 */
export class BackOff {
  private crashes = 0;

  next(ranFor: number): number {
    this.crashes = ranFor >= STEADY_MS ? 1 : this.crashes + 1;
    return Math.min(MAX_MS, FIRST_MS * 2 ** (this.crashes - 1));
  }
}
