import { problem } from '../../../common/problem/problem.js';

export class WorkUnknown extends problem<{ work_id: string }>(404, 'WorkUnknown', 'There is no such work item') {}

/** Somebody changed the item after the version that the caller looked at. */
export class WorkChanged extends problem<{ work_id: string; version: number }>(
  409,
  'WorkChanged',
  'The work item has changed meanwhile',
) {}

export class BlockerCycle extends problem<{ work_id: string; blocker_id: string; path: string[] }>(
  409,
  'BlockerCycle',
  'The items would wait for each other',
) {}
