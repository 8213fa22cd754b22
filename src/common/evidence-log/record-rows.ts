import { openRetrieval } from '../../evidence/receipt.js';
import type { FaultSink } from './evidence-look.types.js';
import type { KnownKey } from './known-keys.js';
import {
  receiptColumnsOf,
  type ReceiptRow,
  retrievalColumnsOf,
  type RetrievalRow,
  signatureFaultOf,
  unlikeReceipt,
  unlikeRetrieval,
} from './record-faults.js';
import { openStored } from './stored-receipts.js';

/** A row of `receipt`. */
export interface WholeReceiptRow extends ReceiptRow {
  tenant_id: string;
  cose: Buffer;
  /** Its tenant is being erased, and it goes with it; or it went with a subject, and `cose` is empty. */
  is_erased: boolean;
  /** Its chain has a head; asked of the first receipt of a chain alone. */
  has_head: boolean;
}

/** The receipt before, in the order of tenant, stream and seq. */
export interface Position {
  readonly tenantId: string;
  readonly stream: string;
  readonly seq: number;
  readonly payloadHash: string | null;
}
export const FIRST_POSITION: Position = { tenantId: '', stream: '', seq: 0, payloadHash: null };

/**
 * Holds a receipt against its signature, its columns and the receipt before it.
 * @returns its own position
 */
export function checkReceipt(
  row: WholeReceiptRow,
  last: Position,
  keys: ReadonlyMap<string, KnownKey>,
  faults: FaultSink,
): Position {
  const name = `receipt ${row.receipt_id} of tenant ${row.tenant_id}`;
  const columns = receiptColumnsOf(row);
  const { stream, seq, payloadHash } = columns;
  const position = { tenantId: row.tenant_id, stream, seq, payloadHash };
  if (row.is_erased) return position;
  const same = row.tenant_id === last.tenantId && row.stream === last.stream;
  if (position.seq !== (same ? last.seq : 0) + 1)
    faults.add(`${name}: stream ${row.stream} has a gap before seq ${row.seq}`);
  try {
    const { message, receipt: opened } = openStored(row.cose);
    const fault = signatureFaultOf(message, opened, keys.get(opened.kid));
    if (fault === 'KEY_NOT_VALID_THEN')
      faults.add(`${name}: key ${opened.kid} did not sign receipts at ${opened.payload.occurred_at}`);
    else if (fault !== undefined) faults.add(`${name}: the signature does not hold`);
    if (unlikeReceipt(columns, row.tenant_id, opened).length > 0)
      faults.add(`${name}: its columns differ from what was signed`);
    if (opened.payload.prev !== (same ? last.payloadHash : null))
      faults.add(`${name}: prev is not the receipt before it`);
  } catch (error) {
    faults.add(`${name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  return position;
}

/** A row of `retrieval_receipt`. */
export interface WholeRetrievalRow extends RetrievalRow {
  tenant_id: string;
  record: Buffer;
}

/** Holds a retrieval receipt against its columns. */
export function checkRetrieval(row: WholeRetrievalRow, faults: FaultSink): void {
  const name = `retrieval receipt ${row.record_digest.toString('hex')} of tenant ${row.tenant_id}`;
  try {
    const unlike = unlikeRetrieval(retrievalColumnsOf(row), row.tenant_id, openRetrieval(row.record));
    if (unlike.length > 0) faults.add(`${name}: its columns differ from the record`);
  } catch (error) {
    faults.add(`${name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
