/** What a fact can have been learnt from: the kinds of what its sources name. */
export const FACT_SOURCE_KINDS = ['passage', 'document', 'fact', 'answer', 'receipt'] as const;
export type FactSourceKind = (typeof FACT_SOURCE_KINDS)[number];

/**
 * What has become of a source since the fact was stored. changed: something else stands there now. gone: it was
 * deleted, or the reader may not see it.
 */
export const FACT_SOURCE_STATES = ['holds', 'changed', 'gone'] as const;
export type FactSourceState = (typeof FACT_SOURCE_STATES)[number];

/** A source with what stood there when the fact was stored. */
export interface FactSource {
  id: string;
  kind: FactSourceKind;
  /** Of a document, a passage's document, a fact, an answer. */
  version: number | null;
  /** Of a passage its text; of a document the digests of its passages, one after another. */
  digest: string | null;
  /** Of a passage and a document: where it stands. */
  owner_tenant_id: string | null;
  corpus_id: string | null;
  doc_id: string | null;
}

/** A source as a reader of the fact sees it now. */
export interface FactSourceNow {
  id: string;
  kind: FactSourceKind;
  state: FactSourceState;
  /** What stands there now, where it is known and has another id. */
  new_id?: string;
}

/** Sources of one fact at most, and characters of the id of one: a document's has a corpus and a doc id. */
export const MAX_SOURCES = 32;
export const MAX_SOURCE_ID = 1100;
