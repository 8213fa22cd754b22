import { InvalidArgumentError } from 'commander';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_SECONDS = 366 * 86_400;

/** A time on the command line, in seconds. */
export function readSeconds(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit ?? ''] ?? NaN);
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError('Give a time from 1s to 366d, such as 90s, 15m, 1h or 7d.');
}
