import type { ReceiptEnvelope } from './receipts.dto.js';

export const JSON_TYPE = 'application/json';
export const CBOR = 'application/cbor';
export const COSE = 'application/cose';

/** One receipt to be shown: whose, which, and in what form the client takes it. */
export interface WantedReceipt {
  tenantId: string;
  receiptId: string;
  accept: string | undefined;
}

/** An answer in the form that was chosen. Bytes come with their content type, JSON has the usual one. */
export interface Shown {
  contentType?: string;
  body: ReceiptEnvelope | Uint8Array;
}

/**
 * The position of a receipt in the list: newest first; of one instant executions before retrievals, the later link of a
 * chain before the earlier.
 */
export type Position =
  | { family: 'execution'; occurredAt: string; stream: string; seq: number }
  | { family: 'retrieval'; occurredAt: string; digest: string };
