import { InvalidArgumentError } from 'commander';
import { readSeconds } from './seconds.js';

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Reads a moment on the command line: a day or time (ISO 8601), or how long ago, or from now, it is. */
export const momentReader =
  (direction: 'ago' | 'from now') =>
  (text: string): Date => {
    const now = Date.now();
    const moment = MOMENT.test(text)
      ? new Date(text)
      : /^\d+[smhd]$/.test(text)
        ? new Date(now + (direction === 'ago' ? -1000 : 1000) * readSeconds(text))
        : undefined;
    if (!moment || Number.isNaN(moment.getTime()))
      throw new InvalidArgumentError(
        `Give a day or time such as 2026-11-30 or 2026-11-30T18:00:00Z, or how long ${direction === 'ago' ? 'ago it was' : 'from now it is'}, such as 36h or 7d.`,
      );
    if (direction === 'from now' && moment.getTime() <= now) throw new InvalidArgumentError(`${text} is in the past.`);
    return moment;
  };
