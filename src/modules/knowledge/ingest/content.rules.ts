import { documentHashIn, type DocumentVersion } from '../../../evidence/content-bindings.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { type PassageLeaf, PassageTree } from '../../../evidence/passage-tree.js';
import type { ReceiptPayload } from '../../../evidence/receipt.js';

/** A stored version and what the receipts of its ingest say. */
export interface VersionEvidence {
  readonly document: DocumentVersion;
  readonly content: string;
  readonly passages: readonly PassageLeaf[];
  readonly accepted: ReceiptPayload;
  /** The receipt over its passages; undefined of a version from before there were such receipts. */
  readonly completed: ReceiptPayload | undefined;
}

/** What contradicts the receipts in a stored version; undefined where nothing does. */
export function faultOf({ document, content, passages, accepted, completed }: VersionEvidence): string | undefined {
  const hash = blake3Digest(content);
  for (const payload of completed ? [accepted, completed] : [accepted]) {
    const said = documentHashIn(payload, document);
    if (said === undefined) return `the receipt ${payload.kind} of its ingest is about another document or version`;
    if (said !== hash) return `the document's text has ${hash}, ${payload.kind} says ${JSON.stringify(said)}`;
  }
  if (!completed) return undefined;
  const { passages: count, passages_root: root } = completed.body;
  if (passages.length !== count)
    return `the version has ${passages.length} passages, ${JSON.stringify(count)} were ingested`;
  return new PassageTree(passages).root === root
    ? undefined
    : 'the passages of the version are not those that were ingested: their texts, ids, places or order differ';
}

/** Passages that are not word for word what stands at their span: in HTML most, elsewhere none. */
export const passagesOffText = (content: string, passages: readonly PassageLeaf[]): PassageLeaf[] =>
  passages.filter(({ start, end, contentHash }) => blake3Digest(content.slice(start, end)) !== contentHash);

/** One text for a passage's place and text. */
export const spanKeyOf = ({ contentHash, start, end }: Omit<PassageLeaf, 'chunkId'>): string =>
  `${contentHash} ${start} ${end}`;
