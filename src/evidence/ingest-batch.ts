import { encodeCanonical } from './cbor.js';
import type { Digest } from './digest.js';
import { leafHash } from './merkle.js';

/** The receipts over the documents of one batch: `count` of them, under the Merkle root `root`. */
export const BATCH_ACCEPTED = 'ingest.batch_accepted';
export const BATCH_COMPLETED = 'ingest.batch_completed';

interface BatchDocument {
  /** UUID with 74 random bits: what keeps a leaf from being guessed where members are withheld. */
  readonly ingest_id: string;
  readonly corpus_id: string;
  readonly doc_id: string;
  readonly version: number;
  /** BLAKE3 of the document's text. */
  readonly content_hash: Digest;
}

/** What BATCH_ACCEPTED binds of a document. */
export interface AcceptedDocument extends BatchDocument {
  readonly shareability: string;
}

/** What BATCH_COMPLETED binds of a document. */
export interface CompletedDocument extends BatchDocument {
  /** How many; `passages_root` is the root of their tree. */
  readonly passages: number;
  readonly passages_root: Digest;
}

/** The leaf of a document in the tree of its batch (RFC 6962 section 2.1): over the canonical CBOR of the map. */
export const documentLeaf = (document: AcceptedDocument | CompletedDocument): Uint8Array =>
  leafHash(encodeCanonical({ ...document }));
