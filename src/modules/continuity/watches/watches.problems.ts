import { problem } from '../../../common/problem/problem.js';

export class WatchUnknown extends problem<{ watchId: string }>(404, 'WatchUnknown', 'There is no such watch') {}
export class WatchTargetUnknown extends problem<{ issues: { path: string; message: string }[] }>(
  404,
  'WatchTargetUnknown',
  'There is nothing of this name to watch',
) {}
export class WatchExists extends problem<{ watchId: string }>(
  409,
  'WatchExists',
  'The caller watches this for this agent already',
) {}
export class WatchLimitReached extends problem<{ limit: number }>(
  409,
  'WatchLimitReached',
  'The tenant has as many watches as it may have',
) {}
