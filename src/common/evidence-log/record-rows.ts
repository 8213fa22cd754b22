import { verifyCose } from '../../evidence/cose.js';
import { namedDigest } from '../../evidence/digest.js';
import { KEY_STREAM } from '../../evidence/key-chain.js';
import { openRetrieval, SERVER_TENANT, type SignedReceipt } from '../../evidence/receipt.js';
import type { FaultSink } from './evidence-look.types.js';
import { type KnownKey, signedThen } from './known-keys.js';
import { isListedBy, type ListedBy } from './receipt-bodies.js';
import { openStored } from './stored-receipts.js';

/** A row of `receipt`. */
export interface ReceiptRow extends ListedBy {
  tenant_id: string;
  receipt_id: string;
  stream: string;
  seq: string;
  prev_hash: Buffer | null;
  payload_hash: Buffer;
  kind: string;
  actor: string;
  subject: string;
  occurred_at: Date;
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
 * Receipts are signed by a key that was for them then; statements about keys also by the key that another takes the
 * place of, which the chain of keys judges.
 */
const mayHaveSigned = (known: KnownKey, { payload }: SignedReceipt): boolean =>
  (payload.tenant_id === SERVER_TENANT && payload.stream === KEY_STREAM) ||
  signedThen(known, 'receipts', payload.occurred_at);

/**
 * Holds a receipt against its signature, its columns and the receipt before it.
 * @returns its own position
 */
export function checkReceipt(
  row: ReceiptRow,
  last: Position,
  keys: ReadonlyMap<string, KnownKey>,
  faults: FaultSink,
): Position {
  const name = `receipt ${row.receipt_id} of tenant ${row.tenant_id}`;
  const position = {
    tenantId: row.tenant_id,
    stream: row.stream,
    seq: Number(row.seq),
    payloadHash: namedDigest('blake3', row.payload_hash),
  };
  if (row.is_erased) return position;
  const same = row.tenant_id === last.tenantId && row.stream === last.stream;
  if (position.seq !== (same ? last.seq : 0) + 1)
    faults.add(`${name}: stream ${row.stream} has a gap before seq ${row.seq}`);
  try {
    const { message, receipt: opened } = openStored(row.cose);
    const known = keys.get(opened.kid);
    if (!known || !verifyCose(message, known.key)) faults.add(`${name}: the signature does not hold`);
    else if (!mayHaveSigned(known, opened))
      faults.add(`${name}: key ${opened.kid} did not sign receipts at ${opened.payload.occurred_at}`);
    if (opened.receiptId !== row.receipt_id || !columnsAgree(row, opened)) {
      faults.add(`${name}: its columns differ from what was signed`);
    }
    if (opened.payload.prev !== (same ? last.payloadHash : null))
      faults.add(`${name}: prev is not the receipt before it`);
  } catch (error) {
    faults.add(`${name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  return position;
}

function columnsAgree(row: ReceiptRow, { payload, payloadHash }: SignedReceipt): boolean {
  const prev = row.prev_hash === null ? null : namedDigest('blake3', row.prev_hash);
  const columns = [row.tenant_id, row.stream, Number(row.seq), row.kind, row.actor, row.subject, prev];
  const signed = [
    payload.tenant_id,
    payload.stream,
    payload.seq,
    payload.kind,
    payload.actor,
    payload.subject,
    payload.prev,
  ];
  return (
    JSON.stringify(columns) === JSON.stringify(signed) &&
    row.occurred_at.toISOString() === payload.occurred_at &&
    isListedBy(row, payload.body) &&
    namedDigest('blake3', row.payload_hash) === payloadHash
  );
}

/** A row of `retrieval_receipt`. */
export interface RetrievalRow extends ListedBy {
  tenant_id: string;
  record_digest: Buffer;
  actor: string;
  occurred_at: Date;
  record: Buffer;
}

/** Holds a retrieval receipt against its columns. */
export function checkRetrieval(row: RetrievalRow, faults: FaultSink): void {
  const name = `retrieval receipt ${row.record_digest.toString('hex')} of tenant ${row.tenant_id}`;
  try {
    const { receiptId, payload } = openRetrieval(row.record);
    const agree =
      receiptId === namedDigest('blake3', row.record_digest) &&
      payload.tenant_id === row.tenant_id &&
      payload.actor === row.actor &&
      payload.occurred_at === row.occurred_at.toISOString() &&
      isListedBy(row, payload.body);
    if (!agree) faults.add(`${name}: its columns differ from the record`);
  } catch (error) {
    faults.add(`${name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
