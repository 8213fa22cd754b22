/** What is not sent, and why. */
export interface LeftOut {
  /** The docId it would have; of a folder with a slash at its end. */
  name: string;
  reason: string;
  /** By a rule that is meant to keep it out: what was sent before may be deleted. */
  byRule?: true;
}

/** What a web server said by which a later request may be answered with 304 (RFC 9110, 8.8). */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

/** Where a document came from, in its metadata: what a later run compares. */
export interface DocumentOrigin extends Validators {
  /** Address of the folder or site that was named. */
  root: string;
  /** SHA-256 of the bytes as they were there. */
  digest: string;
}

/** A document as the server has it. */
export interface KnownDocument {
  url: string | null;
  shareability: string;
  /** Undefined of one that was sent by other means. */
  origin: DocumentOrigin | undefined;
}

export interface FoundText extends Validators {
  kind: 'text';
  text: string;
  title: string;
  contentType: string;
  digest: string;
}

export interface FoundFile extends Validators {
  kind: 'file';
  bytes: Buffer<ArrayBuffer>;
  fileName: string;
  contentType: string;
  digest: string;
}

/** `unchanged`: nobody had to read it to know. */
export type Found = FoundText | FoundFile | { kind: 'unchanged' } | ({ kind: 'left out' } & Omit<LeftOut, 'name'>);

/** A file or page that may become a document. */
export interface SourceEntry {
  docId: string;
  url: string;
  /** @param origin of what the server has under this docId, from this address */
  read(origin: DocumentOrigin | undefined): Promise<Found>;
}

/** A folder, a pattern, a file or a site. */
export interface Source {
  /** Address by which its documents are known again. */
  root: string;
  /** As it was named, where that was no folder: a folder may be empty, all else that gives nothing is a failure. */
  named?: string;
  /** Whether a document of this root is one that this source would list if it were there. */
  covers(docId: string): boolean;
  /** @throws UserError where it cannot be listed, so that nothing is concluded from what is missing */
  list(): Promise<{ entries: SourceEntry[]; leftOut: LeftOut[] }>;
}

/** What one pass over all sources did, or would do. */
export interface IngestReport {
  corpus: string;
  /** docIds, each list in the order of the sources. */
  sent: string[];
  unchanged: number;
  deleted: string[];
  failed: LeftOut[];
  leftOut: LeftOut[];
}
