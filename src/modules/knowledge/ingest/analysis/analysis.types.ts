import type { Language } from '../../../../search/languages.js';
import type { SegmentData } from '../../../../search/segment.js';

export const SHAREABILITIES = ['owner_only', 'entitled_only', 'public_safe'] as const;
/** Who may find a document (tenant-api.md 2.6; decision D17). */
export type Shareability = (typeof SHAREABILITIES)[number];

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
  /** `chk_` and 32 hexadecimal digits; see chunkIdOf. */
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
  /** Why the document cannot be made searchable; it then has no chunks. */
  readonly error?: string;
}

/** Documents whose chunks go into one segment: one corpus, one shareability, one language. */
export interface AnalysisGroup {
  readonly language: Language;
  readonly documents: readonly AnalysisInput[];
}

export interface AnalysedGroup {
  /** In the order of the group's documents. */
  readonly documents: readonly AnalysedDocument[];
  /** Absent when no document of the group has a chunk. */
  readonly segment?: SegmentData;
}
