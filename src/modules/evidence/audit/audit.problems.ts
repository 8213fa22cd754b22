import { problem } from '../../../common/problem/problem.js';

/** Type and code are as memory-daemon.md 7 writes them. */
export class BundleTooLarge extends problem<{ limit_bytes: number; limit_ratio: number }>(
  413,
  'bundle_too_large',
  'The bundle is too large when it is opened',
) {}
export class BundleMalformed extends problem(400, 'BundleMalformed', 'This is no bundle that can be read') {}
