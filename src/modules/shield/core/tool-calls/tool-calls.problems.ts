import { problem } from '../../../../common/problem/problem.js';

/** More calls than a principal may make in one minute: not counted, not decided on, and free to be made again later. */
export class RateWindowExceeded extends problem<{ retryAfterSec: number; limit: number }>(
  429,
  'RateWindowExceeded',
  'Too many tool calls in this minute',
  true,
) {}
