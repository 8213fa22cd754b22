import { problem } from '../../../common/problem/problem.js';

/** A retrieval receipt: there is nothing wrong with it, it never had a signature. */
export class ReceiptUnsigned extends problem<{ receipt_id: string }>(
  404,
  'ReceiptUnsigned',
  'Receipts of this family are not signed',
) {}
export class NotAcceptable extends problem<{ offered: readonly string[] }>(
  406,
  'NotAcceptable',
  'None of the content types of this address is acceptable',
) {}
/** The row is there and its bytes cannot be read: somebody changed them. */
export class ReceiptDamaged extends problem<{ receipt_id: string }>(
  500,
  'ReceiptDamaged',
  'The stored receipt cannot be read',
) {}
/** memory-daemon.md 4.8, rule 2: of builds without the store of receipts. This one has it, so nothing answers it. */
export class ReceiptStoreAbsent extends problem(501, 'ReceiptStoreAbsent', 'This build has no store of receipts') {}
