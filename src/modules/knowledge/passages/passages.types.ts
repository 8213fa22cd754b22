import type { PassagePlace } from '../ingest/extraction/locations.types.js';

/** Where a passage stands in a version of its document. */
export interface Place {
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  version: number;
  /** From 0, in document order. */
  ordinal: number;
  /** Headings above it, outermost first. */
  headingPath: string[];
  /** 64 hexadecimal digits. */
  contentHash: string;
}

/** A passage that the tenant may read. */
export interface ReadablePassage extends Place {
  chunkId: string;
  title: string | null;
  url: string | null;
  content: string;
  /** UTF-16 code units of the document's text; `end` is exclusive. */
  start: number;
  end: number;
  /** Where in a file it stands; null where it came as text. */
  location: PassagePlace | null;
}

/** A passage by what a list shows of it. */
export type NamedPassage = Pick<ReadablePassage, 'chunkId' | 'content'>;

/** The passages of one version of a document, or of the newest that the tenant sees. */
export type WantedOutline = Pick<Place, 'ownerTenantId' | 'corpusId' | 'docId'> & { version: number | null };
/** A passage of an outline, without its text. */
export type OutlinePassage = Pick<ReadablePassage, 'chunkId' | 'ordinal' | 'headingPath' | 'contentHash'>;
