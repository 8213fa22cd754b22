import { problem } from '../../../common/problem/problem.js';

/** What the peer, or its delegation, may not do in this tenant. */
export class SyncOutOfReach extends problem<{ needed: string }>(
  403,
  'SyncOutOfReach',
  'Out of the reach of this peer',
) {}

/** What was previewed is not what would be done now; nothing was applied. */
export class SyncStateMoved extends problem<{ confirm_hash: string }>(
  412,
  'SyncStateMoved',
  'The local state has moved',
) {}

export class MembershipEpochOld extends problem<{ membership_epoch: string }>(
  409,
  'MembershipEpochOld',
  'The membership epoch is an older one',
) {}

export class SyncConflictUnknown extends problem<{ conflict_id: string }>(
  404,
  'SyncConflictUnknown',
  'There is no such conflict',
) {}
