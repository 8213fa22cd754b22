import { problem } from '../../../common/problem/problem.js';
import type { ReplacedFact } from './facts.types.js';

/** Missing, deleted, or another principal's private fact: the response does not say which. */
export class FactNotFound extends problem<{ fact_id: string }>(404, 'FactNotFound', 'There is no such fact') {}

/** What an incident has set aside is not deleted. */
export class FactQuarantined extends problem<{ fact_id: string }>(409, 'FactQuarantined', 'The fact is set aside') {}

/** Whoever names an older version did not see the one that holds. */
export class FactSuperseded extends problem<{ fact_id: string; current_fact_id: string }>(
  409,
  'FactSuperseded',
  'A newer version holds',
) {}

/** A write expected another fact to be current than is, or one where there is none. */
export class FactNotCurrent extends problem<{
  fact_id: string;
  current_fact_id: string | null;
  current: ReplacedFact | null;
}>(409, 'FactNotCurrent', 'Another fact is current, or none') {}
