/** The name of a chain of facts. */
export interface OwnedName {
  /** Whose facts they are: a part of the daemon, or a principal as `ownerOf` names it. */
  owner: string;
  entity: string;
  key: string;
}

/** Where a chain stands. */
export interface OwnedHead {
  /** Of its last record, a deletion too. */
  version: number;
  /** Whether there is a fact, and not a deletion. */
  current: boolean;
  chain: Buffer;
}

/** A current fact. */
export interface OwnedFact {
  fact_id: string;
  key: string;
  value: string;
  version: number;
  private: boolean;
  written_by: string | null;
  stored_at: Date;
  receipt_id: string | null;
  /** Of the value in UTF-8. */
  bytes: number;
}

/** A record of a chain, without its value. */
export interface OwnedVersion {
  seq: string;
  fact_id: string;
  version: number;
  bytes: number;
  tombstone: boolean;
  written_by: string | null;
  stored_at: Date;
  receipt_id: string | null;
}

/** Of several facts together. */
export interface OwnedSize {
  count: number;
  /** Of their values in UTF-8. */
  bytes: number;
}
