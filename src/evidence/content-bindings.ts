import { type CborMap, type CborValue, isCborMap } from './cbor.js';
import type { Digest } from './digest.js';
import { BATCH_ACCEPTED, BATCH_COMPLETED, documentLeaf } from './ingest-batch.js';
import { isInBatch } from './leaf-tree.js';
import type { ContentBinding, PackChunk } from './pack-format.js';
import { leadsToRoot } from './passage-tree.js';
import type { ReceiptPayload, SignedReceipt } from './receipt.js';

/** Of the receipt under which a document was accepted. */
export const INGEST_ACCEPTED = 'ingest.accepted';
/** Of the receipt that binds a document's text and its passages. docs/formats/receipts.md, "Passages". */
export const INGEST_COMPLETED = 'ingest.completed';
/** What says in a receipt that a passage is another tenant's: the receipt of its ingest is its owner's to show. */
export const FOREIGN_SOURCE = 'commons';
/** Receipts that say which text a version of a document has. */
const OF_INGEST: readonly string[] = [INGEST_ACCEPTED, INGEST_COMPLETED, 'local.ingested'];

/** One version of a document, as receipts name it. */
export interface DocumentVersion {
  readonly corpusId: string;
  readonly docId: string;
  readonly version: number;
}

/** A text that a file shows, and where the receipt of its ingest is said to have it. */
export interface BoundPassage extends DocumentVersion {
  readonly chunkId: string;
  readonly contentHash: Digest;
  readonly binding: ContentBinding | null;
}

/** The digest that a receipt of an ingest has of a document's text; undefined of any other receipt or document. */
export function documentHashIn({ kind, body }: ReceiptPayload, document: DocumentVersion): CborValue | undefined {
  if (!OF_INGEST.includes(kind) || body.corpus_id !== document.corpusId) return undefined;
  const documents = kind === 'local.ingested' ? body.documents : [body];
  if (!Array.isArray(documents)) return undefined;
  return (documents as readonly CborValue[])
    .filter(isCborMap)
    .find(({ doc_id, version }) => doc_id === document.docId && version === document.version)?.content_hash;
}

/**
 * Holds a text against the receipt of its ingest.
 * @param names what the receipt that a file shows the text by says of it
 * @param receipts those of the file
 * @returns what is wrong; undefined where nothing is
 */
export function bindingFault(
  passage: BoundPassage,
  names: readonly CborMap[],
  receipts: readonly Pick<SignedReceipt, 'receiptId' | 'payload'>[],
): string | undefined {
  const { binding } = passage;
  if (binding === null)
    return isForeign(names) ? undefined : 'no path leads from its text to the receipt of its ingest';
  const find = (id: string) => receipts.find(({ receiptId }) => receiptId === id)?.payload;
  const ingest = find(binding.receipt_id);
  if (!ingest || ![INGEST_COMPLETED, BATCH_COMPLETED].includes(ingest.kind))
    return `the receipt ${binding.receipt_id} of its ingest is not in the file`;
  const completed = completionIn(ingest, passage, binding);
  if (!completed) return `the receipt ${binding.receipt_id} is of another document, or version`;
  const { passages, passages_root: root, content_hash: text } = completed;
  const { index, path, start, end, accepted } = binding;
  const { chunkId, contentHash } = passage;
  if (!leadsToRoot({ chunkId, contentHash, start, end }, { index, path, size: passages }, root))
    return `its path does not lead to the root that receipt ${binding.receipt_id} has of the passages`;
  const other = receipts.find(({ payload }) => (documentHashIn(payload, passage) ?? text) !== text);
  if (other) return `receipts ${binding.receipt_id} and ${other.receiptId} say different texts of its document`;
  return accepted && acceptanceFault(passage, accepted, text, find(accepted.receipt_id));
}

/** What the receipt of an ingest says of the document of a passage; undefined where it says nothing of it. */
function completionIn(
  payload: ReceiptPayload,
  passage: BoundPassage,
  { document }: ContentBinding,
): { passages: number; passages_root: Digest; content_hash: CborValue } | undefined {
  if (payload.kind === BATCH_COMPLETED) {
    if (!document) return undefined;
    const { index, path, ...said } = document;
    return isInBatch(documentLeaf({ ...nameOf(passage), ...said }), { index, path }, payload.body) ? said : undefined;
  }
  const { passages, passages_root: root } = payload.body;
  const text = documentHashIn(payload, passage);
  if (document || text === undefined || typeof passages !== 'number' || typeof root !== 'string') return undefined;
  return { passages, passages_root: root as Digest, content_hash: text };
}

function acceptanceFault(
  passage: BoundPassage,
  { receipt_id: receiptId, index, path, ...said }: NonNullable<ContentBinding['accepted']>,
  text: CborValue,
  payload: ReceiptPayload | undefined,
): string | undefined {
  if (payload?.kind !== BATCH_ACCEPTED) return `the receipt ${receiptId} of its acceptance is not in the file`;
  if (!isInBatch(documentLeaf({ ...nameOf(passage), ...said }), { index, path }, payload.body))
    return `the receipt ${receiptId} accepted another document, or version`;
  return said.content_hash === text ? undefined : `the receipt ${receiptId} accepted another text of its document`;
}

const nameOf = ({ corpusId, docId, version }: DocumentVersion) => ({ corpus_id: corpusId, doc_id: docId, version });

/** Whether everything that is said of a passage says that it is another tenant's. */
export const isForeign = (names: readonly CborMap[]): boolean =>
  names.length > 0 && names.every(({ source }) => source === FOREIGN_SOURCE);

/** The maps, at any depth, that name a passage with this text and do not contradict its other ids. */
export function namesOf(value: CborValue, passage: Omit<BoundPassage, 'binding'>): CborMap[] {
  if (Array.isArray(value)) return (value as readonly CborValue[]).flatMap((item) => namesOf(item, passage));
  if (!isCborMap(value)) return [];
  const within = Object.values(value).flatMap((member) => namesOf(member, passage));
  return isNamed(value, passage) ? [value, ...within] : within;
}

function isNamed(map: CborMap, { chunkId, contentHash, corpusId, docId, version }: Omit<BoundPassage, 'binding'>) {
  const ids = nameOf({ corpusId, docId, version });
  return (
    map.chunk_id === chunkId &&
    map.content_hash === contentHash &&
    Object.entries(ids).every(([name, value]) => !Object.hasOwn(map, name) || map[name] === value)
  );
}

/** What a pack shows of a passage. */
export const passageOf = (chunk: PackChunk): BoundPassage => ({
  chunkId: chunk.chunk_id,
  contentHash: chunk.content_hash,
  corpusId: chunk.corpus_id,
  docId: chunk.doc_id,
  version: chunk.version,
  binding: chunk.binding ?? null,
});
