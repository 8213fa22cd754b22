const MIN_LEFT = 1 / 4;

/**
 * Seconds of a quota's window of nearly `length` seconds (at most a fiftieth shorter), of which a quarter is still to
 * come: windows begin at whole multiples of their length since 1970, and no test may meet the end of one by the time
 * of day at which it runs.
 */
export const quotaWindow = (length: number): number => {
  const now = Date.now() / 1000;
  for (let seconds = length; seconds > length * 0.98; seconds -= 1)
    if (seconds - (now % seconds) > seconds * MIN_LEFT) return seconds;
  throw new Error(`No window of some ${length} seconds has a quarter of it left`);
};
