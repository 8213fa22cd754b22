import { problem } from '../../../common/problem/problem.js';

export class TooManyStreams extends problem<{ retryAfterSec: number }>(
  429,
  'TooManyStreams',
  'Too many event streams are open',
) {}
