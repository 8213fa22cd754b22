import { problem } from '../../../../common/problem/problem.js';
import type { GateStatus } from './gates.types.js';

export class GateUnknown extends problem<{ action_id: string }>(404, 'GateUnknown', 'There is no such gate') {}

/** Somebody else was first, or it lapsed. */
export class GateDecided extends problem<{
  action_id: string;
  decision: GateStatus;
  decided_by: string | null;
  decided_at: string | null;
  reason: string | null;
}>(409, 'GateDecided', 'The gate has been decided on') {}

export class MayNotDecide extends problem<{ action_id: string }>(
  403,
  'MayNotDecide',
  'The caller may not decide on this gate',
) {}

export class GatePolicyChanged extends problem<{ project_id: string; version: number }>(
  409,
  'GatePolicyChanged',
  'The gate policy has changed meanwhile',
) {}
