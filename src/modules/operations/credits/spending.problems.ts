import { problem } from '../../../common/problem/problem.js';

export class SpendingKnown extends problem<{ reference: string; transfer_id: string }>(
  409,
  'SpendingKnown',
  'Something else was spent under this reference',
) {}
