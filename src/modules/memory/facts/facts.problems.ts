import { problem } from '../../../common/problem/problem.js';

/** Missing, deleted, or another principal's private fact: the response does not say which. */
export class FactNotFound extends problem<{ fact_id: string }>(404, 'FactNotFound', 'There is no such fact') {}
/** Another module holds the fact against deletion. */
export class FactHeld extends problem<{ fact_id: string; held_by: string }>(
  409,
  'FactHeld',
  'The fact is held against deletion',
) {}
