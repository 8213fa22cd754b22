import type { Digest } from '../../../../evidence/digest.js';
import type { Language } from '../../../../search/languages.js';
import type { SegmentData } from '../../../../search/segment.js';

export const SHAREABILITIES = ['owner_only', 'entitled_only', 'public_safe'] as const;
/** Who may find a document (tenant-api.md 2.6; decision D17). */
export type Shareability = (typeof SHAREABILITIES)[number];

export const SEMANTIC_PROFILES = ['default', 'lexical', 'hybrid'] as const;
/**
 * What a document is found by: its words (lexical), also vectors (hybrid), or whatever the server can do (default).
 */
export type SemanticProfile = (typeof SEMANTIC_PROFILES)[number];

/** A document version that is to be made searchable. */
export interface AnalysisInput {
  readonly tenantId: string;
  readonly corpusId: string;
  readonly docId: string;
  readonly version: number;
  readonly title: string;
  readonly content: string;
  /** As stated in the document's metadata; absent: found out from the content. */
  readonly contentType?: string;
  /** The version's UTC day, in days since 1970-01-01. */
  readonly day: number;
}

export interface AnalysedChunk {
  /** Position in the document, from 0. */
  readonly ordinal: number;
  /** `chk_` and 32 hexadecimal digits; see chunkIdsOf. */
  readonly chunkId: string;
  /** Offsets into the document's content, UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly headingPath: readonly string[];
  readonly content: string;
  /** BLAKE3-256 of the content's UTF-8 bytes, 64 hexadecimal digits. */
  readonly contentHash: string;
}

export interface AnalysedDocument {
  readonly chunks: readonly AnalysedChunk[];
  /** BLAKE3 of the content that was analysed. */
  readonly contentHash: Digest;
  /** The root of the Merkle tree over the chunks (docs/formats/receipts.md). */
  readonly passagesRoot: Digest;
  /** Why the document cannot be made searchable; it then has no chunks. */
  readonly error?: string;
}

/** Documents whose chunks go into one segment: one corpus, one shareability, one language. */
export interface AnalysisGroup {
  readonly language: Language;
  readonly documents: readonly AnalysisInput[];
}

/** What is handed to a thread: groups of one tenant. */
export interface AnalysisJob {
  /** The tenant's key for ids of chunks: 32 bytes. */
  readonly idKey: Uint8Array;
  readonly groups: readonly AnalysisGroup[];
}

export interface AnalysedGroup {
  /** In the order of the group's documents. */
  readonly documents: readonly AnalysedDocument[];
  /** Absent when no document of the group has a chunk. */
  readonly segment?: SegmentData;
}
