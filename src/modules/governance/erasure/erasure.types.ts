/** What an erasure is of. Whatever any of the lists names goes; an empty list names nothing. */
export interface SubjectSelector {
  /** Entities of facts and of the graph, and streams, by their whole names. */
  readonly entities: readonly string[];
  readonly entity_prefixes: readonly string[];
  readonly fact_ids: readonly string[];
  readonly documents: readonly DocumentName[];
  /** Agents, passports, principals: what they wrote and asked. */
  readonly principals: readonly string[];
  /** Whatever holds one of these texts, in whichever table. */
  readonly texts: readonly string[];
}

export interface DocumentName {
  readonly corpus_id: string;
  readonly doc_id: string;
}

/** Rows of one table that an erasure finds, with the ids of some. */
export interface FoundRows {
  readonly name: string;
  readonly count: number;
  readonly samples: readonly string[];
}

/** A record of the log that says something of the subject. */
export interface FoundRecord {
  /** UUID of an execution receipt, `blake3:<hex>` of a retrieval receipt. */
  readonly receiptId: string;
  /** As the log knows it. */
  readonly digest: Uint8Array;
}

export interface FoundSubject {
  readonly rows: readonly FoundRows[];
  readonly receipts: readonly FoundRecord[];
  readonly retrievals: readonly FoundRecord[];
}

/** Rows that went, by table. */
export type ErasedCounts = Record<string, number>;
