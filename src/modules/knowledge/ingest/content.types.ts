import type { DocumentVersion } from '../../../evidence/content-bindings.js';
import type { Digest } from '../../../evidence/digest.js';

/** A version of a document, and whose it is. */
export interface OwnedVersion {
  readonly ownerTenantId: string;
  readonly corpusId: string;
  readonly docId: string;
  readonly docVersion: number;
}

export const documentOf = ({ corpusId, docId, docVersion }: OwnedVersion): DocumentVersion => ({
  corpusId,
  docId,
  version: docVersion,
});

export const versionKeyOf = ({ ownerTenantId, corpusId, docId, docVersion }: OwnedVersion): string =>
  JSON.stringify([ownerTenantId, corpusId, docId, docVersion]);

/** A text as something came to rest on it. */
export interface RecordedPassage extends OwnedVersion {
  readonly chunkId: string;
  readonly contentHash: Digest;
}

/** What holding a text against the receipt of its ingest comes to. */
export interface ContentFinding {
  readonly ok: boolean;
  readonly detail: string;
}
