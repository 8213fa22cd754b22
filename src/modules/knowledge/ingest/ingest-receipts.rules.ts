import type { EvidenceEvent } from '../../../common/evidence-log/evidence.service.js';
import { INGEST_COMPLETED } from '../../../evidence/content-bindings.js';
import type { Digest } from '../../../evidence/digest.js';

/** The version of a document that an ingest brought in. */
interface CompletedVersion {
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

/**
 * The receipt that binds a document's text and its passages. In a chain of its own, so that who accepts documents and
 * who indexes them do not wait for each other: nothing may lock another chain after this one.
 */
export const completionOf = (
  { ingestId, corpusId, docId, version }: CompletedVersion,
  { contentHash, passagesRoot, chunks }: Content,
): EvidenceEvent => ({
  kind: INGEST_COMPLETED,
  actor: 'svc:ingest',
  authMode: 'system',
  stream: 'ingest',
  subject: ingestId,
  body: {
    ingest_id: ingestId,
    corpus_id: corpusId,
    doc_id: docId,
    version,
    content_hash: contentHash,
    passages: chunks.length,
    passages_root: passagesRoot,
  },
});
