import { type CoseSign1, verifyCose } from '../../evidence/cose.js';
import { namedDigest } from '../../evidence/digest.js';
import { KEY_STREAM } from '../../evidence/key-chain.js';
import {
  type OpenReceipt,
  type ReceiptPayload,
  type RetrievalPayload,
  SERVER_TENANT,
  type SignedReceipt,
} from '../../evidence/receipt.js';
import { type KnownKey, signedThen } from './known-keys.js';
import { isListedBy, type ListedBy, sessionOf } from './receipt-bodies.js';

/*
 * What of a stored record is not as it was signed. The look through all rows and the check of one record both ask here:
 * what one of them finds, the other finds.
 */

/** Of a row of `receipt`: the columns that repeat the receipt, for lists and searches. */
export interface ReceiptRow extends ListedBy {
  receipt_id: string;
  stream: string;
  seq: string;
  prev_hash: Buffer | null;
  payload_hash: Buffer;
  kind: string;
  actor: string;
  subject: string;
  occurred_at: Date;
}
/** As they are shown. */
export interface ReceiptColumns {
  readonly receiptId: string;
  readonly stream: string;
  readonly seq: number;
  readonly prevHash: string | null;
  readonly payloadHash: string;
  readonly kind: string;
  readonly actor: string;
  readonly subject: string;
  readonly occurredAt: Date;
  readonly listedBy: ListedBy;
}
export const receiptColumnsOf = (row: ReceiptRow): ReceiptColumns => ({
  receiptId: row.receipt_id,
  stream: row.stream,
  seq: Number(row.seq),
  prevHash: row.prev_hash && namedDigest('blake3', row.prev_hash),
  payloadHash: namedDigest('blake3', row.payload_hash),
  kind: row.kind,
  actor: row.actor,
  subject: row.subject,
  occurredAt: row.occurred_at,
  listedBy: row,
});

/** Of a row of `retrieval_receipt`: the same. */
export interface RetrievalRow extends ListedBy {
  record_digest: Buffer;
  actor: string;
  occurred_at: Date;
}
export interface RetrievalColumns {
  /** `blake3:<hex>`: what the row is kept under. */
  readonly receiptId: string;
  readonly actor: string;
  readonly occurredAt: Date;
  readonly listedBy: ListedBy;
}
export const retrievalColumnsOf = (row: RetrievalRow): RetrievalColumns => ({
  receiptId: namedDigest('blake3', row.record_digest),
  actor: row.actor,
  occurredAt: row.occurred_at,
  listedBy: row,
});

/** The columns of a receipt's row that are not what was signed. */
export function unlikeReceipt(
  row: ReceiptColumns,
  tenantId: string,
  { receiptId, payload, payloadHash }: SignedReceipt,
): string[] {
  return differing({
    receipt_id: [row.receiptId, receiptId],
    tenant_id: [tenantId, payload.tenant_id],
    payload_hash: [row.payloadHash, payloadHash],
    prev_hash: [row.prevHash, payload.prev],
    ...listed(row, payload),
    stream: [row.stream, payload.stream],
    seq: [row.seq, payload.seq],
    kind: [row.kind, payload.kind],
    subject: [row.subject, payload.subject],
  });
}

/** The columns of a retrieval receipt's row that are not what the record says. */
export function unlikeRetrieval(
  row: RetrievalColumns,
  tenantId: string,
  { receiptId, payload }: { readonly receiptId: string; readonly payload: RetrievalPayload },
): string[] {
  return differing({
    receipt_id: [row.receiptId, receiptId],
    tenant_id: [tenantId, payload.tenant_id],
    ...listed(row, payload),
  });
}

/** By column: what the row has, and what the record says. */
type Compared = Record<string, readonly [unknown, unknown]>;

const differing = (compared: Compared): string[] =>
  Object.keys(compared).filter((name) => compared[name]![0] !== compared[name]![1]);

function listed(
  { actor, occurredAt, listedBy }: RetrievalColumns,
  { actor: signed, occurred_at, body }: Pick<ReceiptPayload, 'actor' | 'occurred_at' | 'body'>,
): Compared {
  const said = sessionOf(body);
  return {
    actor: [actor, signed],
    occurred_at: [occurredAt.toISOString(), occurred_at],
    session: [isListedBy(listedBy, body) ? said : listedBy.session, said],
  };
}

/** What is wrong with the signature of a receipt under the key that it names, where that is known. */
export function signatureFaultOf(
  message: CoseSign1,
  opened: OpenReceipt,
  known: KnownKey | undefined,
): 'KEY_UNKNOWN' | 'SIGNATURE_INVALID' | 'KEY_NOT_VALID_THEN' | undefined {
  if (!known) return 'KEY_UNKNOWN';
  if (!verifyCose(message, known.key)) return 'SIGNATURE_INVALID';
  return mayHaveSigned(known, opened) ? undefined : 'KEY_NOT_VALID_THEN';
}

/**
 * Receipts are signed by a key that was for them then; statements about keys also by the key that another takes the
 * place of, which the chain of keys judges.
 */
const mayHaveSigned = (known: KnownKey, { payload }: SignedReceipt): boolean =>
  (payload.tenant_id === SERVER_TENANT && payload.stream === KEY_STREAM) ||
  signedThen(known, 'receipts', payload.occurred_at);
