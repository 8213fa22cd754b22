import type { Digest } from '../../../evidence/digest.js';
import type { Language } from '../../../search/languages.js';
import type { SemanticProfile, Shareability } from './analysis/analysis.types.js';
import type { LocatedRange } from './extraction/locations.types.js';

/** The content cap of decision D16, in bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 4 * 1024 * 1024;

/** The file that a document's text was read from. */
export interface SourceFile {
  readonly name: string | null;
  /** What it is, by its bytes. */
  readonly mediaType: string;
  /** BLAKE3 of its bytes. */
  readonly digest: Digest;
  readonly bytes: number;
  /** Where in it the text stands. */
  readonly locations: readonly LocatedRange[];
}

/** A document as it was sent, checked. */
export interface DirectDocument {
  readonly corpusId: string;
  readonly docId: string;
  readonly title: string;
  readonly url: string | null;
  readonly content: string;
  readonly shareability: Shareability;
  /** `contentType` and `language` have a meaning. */
  readonly metadata: Record<string, unknown> | null;
  readonly semanticProfile: SemanticProfile;
}

/** The same, digested. */
export interface Submission extends DirectDocument {
  readonly sourceSuggestionId: string | null;
  /** BLAKE3-256 of the content in UTF-8. */
  readonly contentHash: Uint8Array;
  /**
   * BLAKE3-256 over all that makes a version another one: content, title, url, shareability, metadata, and that it gets
   * no vectors.
   */
  readonly digest: Uint8Array;
  /** As stated in the metadata. */
  readonly language: Language | undefined;
  readonly file?: SourceFile | undefined;
}

export interface AcceptedSubmission extends Submission {
  /** The principal. */
  readonly acceptedBy: string;
}

/** What is known of a document when a submission arrives. */
export interface KnownDocument {
  readonly latestVersion: number;
  readonly latestDigest: Uint8Array | null;
}

/** A document and the latest of the versions that were sent of it. */
export interface NewDocument {
  readonly corpusId: string;
  readonly docId: string;
  readonly latestVersion: number;
  readonly latestDigest: Uint8Array;
}

export interface PlannedVersion {
  readonly submission: AcceptedSubmission;
  readonly version: number;
  /** False: the same was accepted before as this version. */
  readonly isNew: boolean;
}

/** The vectors of passages at an instant. */
export interface VectorCount {
  readonly passages: number;
  readonly vectors: number;
  /** Of the vectors; 0 where there are none. */
  readonly dimension: number;
}

/** What became of a document that was taken in directly. */
export interface IngestedDocument {
  readonly version: number;
  /** False: the same was accepted before as this version. */
  readonly isNew: boolean;
  /** Passages it was divided into. */
  readonly chunkCount: number;
  /** Why it cannot be searched; null where it can. */
  readonly error: string | null;
}

/** An ingest that is to be recorded. */
export interface AcceptedIngest {
  readonly ingestId: string;
  readonly corpusId: string;
  readonly docId: string;
  readonly version: number;
  readonly receiptId: string;
}

/** What a job of the queue `ingest` carries, and one of `ingest.file`, which has one ingest. */
export interface IngestJob {
  readonly tenantId: string;
  readonly ingestIds: readonly string[];
}

/**
 * Jobs that are taken together share transactions and segments; together the small ones are never more than
 * SMALL_BATCH_UNITS.
 */
export const JOBS_A_BATCH = { ingest: 32, 'ingest.large': 8 } as const;
export type IngestQueue = keyof typeof JOBS_A_BATCH;
export const UNITS_OF_A_SMALL_JOB = 32 * 1024;
export const SMALL_BATCH_UNITS = JOBS_A_BATCH.ingest * UNITS_OF_A_SMALL_JOB;
