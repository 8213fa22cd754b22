import { documentHashIn, type DocumentVersion } from '../../../evidence/content-bindings.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { type AcceptedDocument, type CompletedDocument, documentLeaf } from '../../../evidence/ingest-batch.js';
import { type PassageLeaf, PassageTree } from '../../../evidence/passage-tree.js';
import type { ReceiptPayload } from '../../../evidence/receipt.js';
import { acceptedDocument, completedDocument } from './ingest-receipts.rules.js';

/** What the receipt of an ingest says: alone, or by the leaf that the ingest has in its batch. */
export interface SaidByReceipt {
  readonly ingestId: string;
  readonly payload: ReceiptPayload;
  readonly leaf: Uint8Array | undefined;
}

/** A stored version and what the receipts of its ingest say. */
export interface VersionEvidence {
  readonly document: DocumentVersion;
  readonly content: string;
  readonly shareability: string;
  readonly passages: readonly PassageLeaf[];
  readonly accepted: SaidByReceipt;
  /** The receipt over its passages; undefined of a version from before there were such receipts. */
  readonly completed: SaidByReceipt | undefined;
}

/** What contradicts the receipts in a stored version; undefined where nothing does. */
export function faultOf(version: VersionEvidence): string | undefined {
  const { document, content, shareability, passages, accepted, completed } = version;
  const contentHash = blake3Digest(content);
  const acceptance = acceptedDocument({ ...document, ingestId: accepted.ingestId }, { contentHash, shareability });
  const fault = faultIn(accepted, document, acceptance);
  if (fault !== undefined || !completed) return fault;
  const passagesRoot = new PassageTree(passages).root;
  const found = { contentHash, passagesRoot, chunks: passages };
  const completion = completedDocument({ ...document, ingestId: completed.ingestId }, found);
  return faultIn(completed, document, completion) ?? passagesFault(completed, completion);
}

function faultIn(
  { payload, leaf }: SaidByReceipt,
  document: DocumentVersion,
  found: AcceptedDocument | CompletedDocument,
): string | undefined {
  if (leaf) return isLeaf(leaf, found) ? undefined : `the document is not what ${payload.kind} binds`;
  const said = documentHashIn(payload, document);
  if (said === undefined) return `the receipt ${payload.kind} of its ingest is about another document or version`;
  if (said === found.content_hash) return undefined;
  return `the document's text has ${found.content_hash}, ${payload.kind} says ${JSON.stringify(said)}`;
}

/** A leaf binds them too. */
function passagesFault({ payload: { body }, leaf }: SaidByReceipt, found: CompletedDocument): string | undefined {
  if (leaf) return undefined;
  const { passages: count, passages_root: root } = body;
  if (found.passages !== count)
    return `the version has ${found.passages} passages, ${JSON.stringify(count)} were ingested`;
  return found.passages_root === root
    ? undefined
    : 'the passages of the version are not those that were ingested: their texts, ids, places or order differ';
}

/** Whether a leaf is that of a document as it was found. */
export const isLeaf = (leaf: Uint8Array, found: AcceptedDocument | CompletedDocument): boolean =>
  Buffer.compare(documentLeaf(found), leaf) === 0;

/** Passages that are not word for word what stands at their span: in HTML most, elsewhere none. */
export const passagesOffText = (content: string, passages: readonly PassageLeaf[]): PassageLeaf[] =>
  passages.filter(({ start, end, contentHash }) => blake3Digest(content.slice(start, end)) !== contentHash);

/** One text for a passage's place and text. */
export const spanKeyOf = ({ contentHash, start, end }: Omit<PassageLeaf, 'chunkId'>): string =>
  `${contentHash} ${start} ${end}`;
