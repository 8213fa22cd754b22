import { isCborMap, type CborMap } from '../../evidence/cbor.js';
import { openStored } from './stored-receipts.js';
import type { StoredReceipt } from './evidence-look.types.js';

/** A receipt that can be read, with what it says. */
export interface ReadReceipt {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly kind: string;
  readonly body: CborMap;
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
    const body = bodyOf(cose);
    return body ? [{ tenantId, receiptId, kind, body }] : [];
  });
}

function bodyOf(cose: Buffer): CborMap | undefined {
  try {
    const { body } = openStored(cose).receipt.payload;
    return isCborMap(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
