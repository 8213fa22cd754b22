import { problem } from '../../common/problem/problem.js';

/** Not there, deleted, or somebody else's private one: which of these is not told. */
export class FactNotFound extends problem<{ fact_id: string }>(404, 'FactNotFound', 'There is no such fact') {}
/** Another room holds the fact against deletion. */
export class FactHeld extends problem<{ fact_id: string; held_by: string }>(
  409,
  'FactHeld',
  'The fact is held against deletion',
) {}
