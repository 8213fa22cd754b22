import { problem } from '../../../common/problem/problem.js';

export class CandidateUnknown extends problem<{ candidate_id: string }>(
  404,
  'CandidateUnknown',
  'There is no such candidate',
) {}

/** It was decided on before. */
export class CandidateDecided extends problem<{ candidate_id: string; candidate_status: string }>(
  409,
  'CandidateDecided',
  'The candidate is not pending',
) {}

export class CandidateChanged extends problem<{ candidate_id: string; version: number }>(
  409,
  'CandidateChanged',
  'The candidate has changed meanwhile',
) {}

/** What keeps it from being promoted. */
export type Obstacle = 'below_threshold' | 'conflict' | 'duplicate' | 'secret_found' | 'reserved_name' | 'target_gone';

export class CandidateNotEligible extends problem<{
  candidate_id: string;
  obstacle: Obstacle;
  conflicts_with?: string[];
}>(422, 'CandidateNotEligible', 'The candidate cannot be promoted as it is') {}

/** What was never promoted, or is not any more, has no promotion to take back. */
export class CandidateNotPromoted extends problem<{ candidate_id: string; candidate_status: string }>(
  409,
  'CandidateNotPromoted',
  'The candidate is not promoted',
) {}

/** The promotion cannot be taken back. */
export class PromotionOverwritten extends problem<{ candidate_id: string }>(
  409,
  'PromotionOverwritten',
  'The promotion cannot be undone',
) {}

/** The operation_id was used for another request. */
export class OperationReused extends problem<{ operation_id: string }>(
  409,
  'OperationReused',
  'The operation_id names another request',
) {}
