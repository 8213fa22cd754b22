import type { EvidenceEvent } from '../../../common/evidence-log/evidence.service.js';
import { INGEST_ACCEPTED, INGEST_COMPLETED } from '../../../evidence/content-bindings.js';
import type { Digest } from '../../../evidence/digest.js';
import {
  type AcceptedDocument,
  BATCH_ACCEPTED,
  BATCH_COMPLETED,
  type CompletedDocument,
} from '../../../evidence/ingest-batch.js';

/** The version of a document that an ingest brought in. */
export interface IngestedVersion {
  readonly ingestId: string;
  readonly corpusId: string;
  readonly docId: string;
  readonly version: number;
}

/** What is known of its text. */
interface Content {
  readonly contentHash: Digest;
  readonly passagesRoot: Digest;
  readonly chunks: { readonly length: number };
}

/** What happened to one document, to be receipted alone or with others. */
export type DocumentEvent = Omit<EvidenceEvent, 'kind' | 'subject' | 'body'> &
  (
    | { readonly kind: typeof INGEST_ACCEPTED; readonly body: AcceptedDocument & { readonly file?: object } }
    | { readonly kind: typeof INGEST_COMPLETED; readonly body: CompletedDocument }
  );

/** The kind of the one receipt over several. */
export const BATCH_KINDS = { [INGEST_ACCEPTED]: BATCH_ACCEPTED, [INGEST_COMPLETED]: BATCH_COMPLETED } as const;

export const acceptedDocument = (
  { ingestId, corpusId, docId, version }: IngestedVersion,
  content: { readonly contentHash: Digest; readonly shareability: string },
): AcceptedDocument => ({
  ingest_id: ingestId,
  corpus_id: corpusId,
  doc_id: docId,
  version,
  content_hash: content.contentHash,
  shareability: content.shareability,
});

export const completedDocument = (
  { ingestId, corpusId, docId, version }: IngestedVersion,
  { contentHash, passagesRoot, chunks }: Content,
): CompletedDocument => ({
  ingest_id: ingestId,
  corpus_id: corpusId,
  doc_id: docId,
  version,
  content_hash: contentHash,
  passages: chunks.length,
  passages_root: passagesRoot,
});

/**
 * Of the receipt that binds a document's text and its passages. In a chain of its own, so that who accepts documents
 * and who indexes them do not wait for each other: nothing may lock another chain after this one.
 */
export const completionOf = (version: IngestedVersion, content: Content): DocumentEvent => ({
  kind: INGEST_COMPLETED,
  actor: 'svc:ingest',
  authMode: 'system',
  stream: 'ingest',
  body: completedDocument(version, content),
});

/** What its file was stands in no table: its leaf could not be made again, so it has a receipt of its own. */
export const standsAlone = ({ body }: DocumentEvent): boolean => 'file' in body;

export const isOfBatch = ({ kind }: { readonly kind: string }): boolean =>
  kind === BATCH_ACCEPTED || kind === BATCH_COMPLETED;
