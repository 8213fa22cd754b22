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
