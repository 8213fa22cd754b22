import type { Query } from '../tenancy/cross-tenant.js';

/** Something that the evidence of the database contradicts. */
export interface EvidenceFault {
  /** Which check found it: `leaves`, `answers`. */
  readonly check: string;
  /** The id of what is amiss. Probes show it to the public: it names no tenant. */
  readonly subject: string;
  /** A sentence for the operator. */
  readonly detail: string;
}

/** Takes what is wrong with one subject. */
export interface FaultSink {
  add(detail: string): void;
}

/** A row of `receipt`, as checks read it. */
export interface StoredReceipt {
  readonly tenant_id: string;
  readonly receipt_id: string;
  readonly kind: string;
  readonly cose: Buffer;
}

/** Rows that name the receipt which speaks of them. */
export interface ReceiptedRows {
  /** The table, insert-only or nearly so: what was written or changed lately stands in its last blocks. */
  readonly table: string;
  /**
   * The receipts of the rows from place $1 up to place $2 (tid, the second one excluded): tenant_id, receipt_id, which
   * is null where a row names none that exists, and name, the id of the row for that case.
   */
  readonly receipts: string;
  /**
   * The names of the rows that a receipt speaks of: a row that names another receipt has none. Undefined of one that
   * `receipts` itself holds against its rows.
   */
  readonly spokenOf?: (receipt: StoredReceipt) => readonly string[] | undefined;
}

/**
 * Holds the rows of one module against the receipts that speak of them. A receipt is signed, chained and logged, so it
 * is right where the two differ.
 */
export interface SubjectCheck {
  readonly name: string;
  /** The receipts that it wants to see. */
  readonly kinds: readonly string[];
  readonly rows: readonly ReceiptedRows[];
  /**
   * @param faultOf where to say what is wrong with the rows of a receipt
   * @param most things to hold against receipts that bind many, the last of them; all where it is left out
   */
  check(
    query: Query,
    receipts: readonly StoredReceipt[],
    faultOf: (receiptId: string) => FaultSink,
    most?: number,
  ): Promise<void>;
}
