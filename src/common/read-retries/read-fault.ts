import { isDatabaseUnavailable } from '../database/unavailable.js';

/**
 * SQLSTATE of errors that another try at once would only make worse: time-outs of statements and locks, a lack of
 * resources, failing disks; or would not change: a server in recovery.
 */
const NOT_AT_ONCE = /^(57014|55P03|53...|58...|25P0[34]|25006)$/;
const WAITED_IN_VAIN = /timeout exceeded when trying to connect/i;

/**
 * Whether a read that failed so may well succeed when it is done again at once: its connection was lost, or it met a
 * writer (40001, 40P01).
 */
export const isWorthAnotherTry = (error: unknown): boolean =>
  isDatabaseUnavailable(error) &&
  !causesOf(error).some(({ code, message }) => (code && NOT_AT_ONCE.test(code)) || WAITED_IN_VAIN.test(message));

/** The error with those it wraps, outermost first. */
function causesOf(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return [];
  const { driverError, cause } = error as { driverError?: unknown; cause?: unknown };
  const inner = driverError === error ? cause : (driverError ?? cause);
  return [error, ...(error instanceof AggregateError ? error.errors.flatMap(causesOf) : causesOf(inner))];
}
