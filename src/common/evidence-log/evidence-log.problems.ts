import { problem } from '../problem/problem.js';

export class ReceiptUnknown extends problem<{ receiptId: string }>(404, 'ReceiptUnknown', 'No such receipt') {}

/** Nobody has made a key for the algorithm that was asked for. */
export class AlgorithmAbsent extends problem(
  406,
  'AlgorithmAbsent',
  'This server has no key for the algorithm that was asked for',
) {}

/** The record was committed a moment ago, or not at all, and the log does not hold it yet. */
export class ReceiptNotLogged extends problem<{ receiptId: string; retryAfterSec: number }>(
  503,
  'ReceiptNotLogged',
  'The receipt is not in the log yet',
) {}
