import { isCborMap, type CborMap } from '../../evidence/cbor.js';
import type { ReceiptPayload } from '../../evidence/receipt.js';
import { isOfAnotherTime } from '../../evidence/receipt-times.js';
import { isUuid } from '../ids/uuid-form.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { openStored } from './stored-receipts.js';
import type { StoredReceipt } from './evidence-look.types.js';

/** A receipt that can be read, with what it says. */
export interface ReadReceipt {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly kind: string;
  readonly actor: string;
  readonly subject: string;
  readonly occurredAt: string;
  readonly body: CborMap;
}

/** What a row says of who wrote it, and when by the clock of the database, in the transaction of its receipt. */
export interface WrittenRow {
  readonly written_by: string;
  readonly written_at: Date;
}

/** Where a row says another writer than its receipt, or another day. */
export function findOtherWriter(
  { actor, occurredAt }: Pick<ReadReceipt, 'actor' | 'occurredAt'>,
  { written_by: by, written_at: at }: WrittenRow,
): string | undefined {
  if (by !== actor) return 'it names another writer than the receipt';
  return isOfAnotherTime(at, occurredAt) ? 'it is of another time than the receipt' : undefined;
}

/** The session that a record is of: the body's `session_id`, where it has one. Receipts are listed by it. */
export const sessionOf = ({ session_id: session }: CborMap): string | null =>
  typeof session === 'string' && session !== '' ? session : null;

/** By what a record is listed. */
export interface ListedBy {
  readonly session: string | null;
  /** Its row came in before rows had a session, and need not have one. */
  readonly is_older: boolean;
}
export const isListedBy = ({ session, is_older: isOlder }: ListedBy, body: CborMap): boolean =>
  session === sessionOf(body) || (isOlder && session === null);

/** What receipts say. One that cannot be read is named by the check of the chains, and says nothing. */
export function readBodies(receipts: readonly StoredReceipt[]): ReadReceipt[] {
  return receipts.flatMap(({ tenant_id: tenantId, receipt_id: receiptId, kind, cose }) => {
    const payload = payloadOf(cose);
    if (!payload || !isCborMap(payload.body)) return [];
    const { actor, subject, occurred_at: occurredAt, body } = payload;
    return [{ tenantId, receiptId, kind, actor, subject, occurredAt, body }];
  });
}

/**
 * Receipts that speak of a row by its UUID, each with that row; what nobody signed may say anything, and the check of
 * the chains names it.
 * @param sql answers rows of the pairs of tenants ($1) and ids ($2), with `parameters` from $3 on
 */
export async function readWithRows<Row extends { tenant_id: string; id: string }>(
  query: Query,
  receipts: readonly StoredReceipt[],
  sql: string,
  ...parameters: unknown[]
): Promise<{ receipt: ReadReceipt; row: Row | undefined }[]> {
  const read = readBodies(receipts).filter(({ subject }) => isUuid(subject));
  const names = [read.map(({ tenantId }) => tenantId), read.map(({ subject }) => subject)];
  const rows = await query<Row>(sql, [...names, ...parameters]);
  const byName = new Map(rows.map((row) => [`${row.id} ${row.tenant_id}`, row]));
  return read.map((receipt) => ({ receipt, row: byName.get(`${receipt.subject} ${receipt.tenantId}`) }));
}

function payloadOf(cose: Buffer): ReceiptPayload | undefined {
  try {
    return openStored(cose).receipt.payload;
  } catch {
    return undefined;
  }
}
