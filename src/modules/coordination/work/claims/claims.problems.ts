import { problem } from '../../../../common/problem/problem.js';
import type { WorkState } from '../work.types.js';

export class WorkHeld extends problem<{ work_id: string; fence: number; holder_passport: string; expires_at: string }>(
  409,
  'WorkHeld',
  'Another holds the work item',
) {}
export class WorkNotClaimable extends problem<{ work_id: string; state: string; open_blockers: number }>(
  409,
  'WorkNotClaimable',
  'The work item cannot be claimed as it is',
) {}

/** What only a change that waits for somebody else may do. */
export class MoveNeedsApproval extends problem<{ work_id: string; project_id: string; from: WorkState; to: WorkState }>(
  409,
  'MoveNeedsApproval',
  'The move of the work item needs an approval',
) {}
