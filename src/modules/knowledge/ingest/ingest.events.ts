import type { OutboxEvent } from '../../../common/outbox/outbox.js';
import type { RetiredChunk, RetiredChunks } from './chunks.store.js';
import type { QuarantinedVersion } from './document-quarantine.store.js';
import type { AnalysedVersion } from './ingest-indexing.types.js';
import { documentKey } from './ingest.rules.js';

/** Of the receipts of erasures that name the leaves of documents: `batches`, each with `receipt_id` and `leaves`. */
export const DOCUMENTS_ERASED = 'erasure.documents';

const DOCUMENT_INDEXED = 'document.indexed';
export const DOCUMENT_WITHDRAWN = 'document.withdrawn';
/** Passages that an event names at most; it counts all. */
const MAX_NAMED = 20;

/** A passage in an event: only the digest of its text is included. */
interface NamedPassage {
  chunkId: string;
  contentHash: string;
}

/** A version of a document has become the one in search. */
interface DocumentIndexed {
  corpusId: string;
  docId: string;
  version: number;
  /** The version it replaces; null where none was in search. */
  previousVersion: number | null;
  title: string;
  url: string | null;
  shareability: string;
  /** Of the version it replaces; null where none was in search. */
  previousShareability: string | null;
  chunkCount: number;
  /**
   * Passages whose text the version before did not have, and those of it whose text is no more: the first of them, and
   * how many.
   */
  changed: NamedPassage[];
  changedCount: number;
  gone: NamedPassage[];
  goneCount: number;
}

/** A document was taken out of search. */
export interface DocumentWithdrawn {
  corpusId: string;
  docId: string;
  /** The version that was in search; null where none was. */
  version: number | null;
  actor: string;
  /** An incident has set it aside; it may come back. */
  quarantined?: true;
}

/** An event for each version that was published in place of what was retired. */
export function indexedEvents(good: readonly AnalysedVersion[], retired: readonly RetiredChunks[]): OutboxEvent[] {
  const before = new Map<string, VersionBefore>();
  for (const { shard, chunks } of retired) {
    for (const chunk of chunks) {
      const key = documentKey({ corpusId: shard.corpusId, docId: chunk.docId });
      const others = before.get(key)?.chunks ?? [];
      before.set(key, { shareability: shard.shareability, chunks: [...others, chunk] });
    }
  }
  return good.map((one) => indexedEvent(one, before.get(documentKey(one.version))));
}

interface VersionBefore {
  shareability: string;
  chunks: RetiredChunk[];
}

function indexedEvent({ version, analysed }: AnalysedVersion, before: VersionBefore | undefined): OutboxEvent {
  const { corpusId, docId, title, url, shareability, currentVersion } = version;
  const replaced = before?.chunks ?? [];
  const changed = without(analysed.chunks, replaced);
  const gone = without(replaced, analysed.chunks);
  const data: DocumentIndexed = {
    corpusId,
    docId,
    version: version.version,
    previousVersion: currentVersion === 0 ? null : currentVersion,
    title,
    url,
    shareability,
    previousShareability: before?.shareability ?? null,
    chunkCount: analysed.chunks.length,
    changed: changed.slice(0, MAX_NAMED).map(named),
    changedCount: changed.length,
    gone: gone.slice(0, MAX_NAMED).map(named),
    goneCount: gone.length,
  };
  return { kind: DOCUMENT_INDEXED, subject: `${corpusId}/${docId}`, data };
}

/** A version that was set aside is in search again. */
export function returnedEvent(
  { corpusId, docId, version, title, url, shareability }: QuarantinedVersion,
  passages: readonly NamedPassage[],
): OutboxEvent {
  const data: DocumentIndexed = {
    ...{ corpusId, docId, version, previousVersion: null, title, url, shareability, previousShareability: null },
    ...{ chunkCount: passages.length, changed: passages.slice(0, MAX_NAMED).map(named), changedCount: passages.length },
    ...{ gone: [], goneCount: 0 },
  };
  return { kind: DOCUMENT_INDEXED, subject: `${corpusId}/${docId}`, data };
}

export const withdrawnEvent = (data: DocumentWithdrawn): OutboxEvent => ({
  kind: DOCUMENT_WITHDRAWN,
  subject: `${data.corpusId}/${data.docId}`,
  data,
});

/** Those whose text is not among the others'. */
function without<P extends { contentHash: string }>(
  passages: readonly P[],
  others: readonly { contentHash: string }[],
): P[] {
  const hashes = new Set(others.map(({ contentHash }) => contentHash));
  return passages.filter(({ contentHash }) => !hashes.has(contentHash));
}

const named = ({ chunkId, contentHash }: NamedPassage): NamedPassage => ({
  chunkId,
  contentHash: `blake3:${contentHash}`,
});
