import { problem } from '../../../../common/problem/problem.js';

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
