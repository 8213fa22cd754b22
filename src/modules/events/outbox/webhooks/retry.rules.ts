/** A fifth more or less, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * How long to wait after a failed attempt, in milliseconds; undefined after the last.
 * @param attempt of the present round, from 1
 */
export function retryDelay(
  delaysSeconds: readonly number[],
  attempt: number,
  random = Math.random(),
): number | undefined {
  const seconds = delaysSeconds[attempt - 1];
  return seconds === undefined ? undefined : Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random));
}
