import { type CborMap, type CborValue, isCborMap } from '../cbor.js';
import { bindingFault } from '../content-bindings.js';
import type { Digest } from '../digest.js';
import { BINDING, type ContentBinding } from '../pack-format.js';
import type { SignedReceipt } from '../receipt.js';
import { checkShape, orNull } from '../shape.js';
import type { OpenItem } from './open-export.js';

/**
 * Answers are what the receipts of their recording say, and cited texts lead to the receipts of their ingest.
 * docs/formats/export.md, step `contents`. Only where every receipt is shown whole: what is withheld cannot be asked
 * for.
 * @returns how many texts lead to the receipt of their ingest
 */
export function checkBindings(items: readonly OpenItem[]): number {
  const opened = items.filter(({ type }) => type === 'receipt').map(({ receipt }) => receipt);
  const receipts = opened.filter((receipt) => receipt !== undefined);
  if (receipts.length === 0 || receipts.length !== opened.length) return 0;
  for (const item of items) if (item.type === 'answer') checkAnswer(item, receipts);
  return items.filter((item) => item.type === 'citation' && checkCitation(item, receipts)).length;
}

function checkAnswer(item: OpenItem, receipts: readonly SignedReceipt[]): void {
  const digest = item.shown.at('text_hash')?.value;
  if (digest === undefined) return;
  if (recordingOf(item, receipts)?.answer_hash !== digest)
    throw new Error(`item ${item.index}: no receipt of the answer names its text_hash`);
}

/** The body of the receipt under which an answer, or the one that a citation is of, was recorded. */
function recordingOf({ shown }: OpenItem, receipts: readonly SignedReceipt[]): CborMap | undefined {
  const [answerId, version] = [shown.text('answer_id'), shown.number('version')];
  return receipts
    .filter(({ payload }) => payload.kind === 'answer.recorded')
    .map(({ payload }) => payload.body)
    .find((body) => body.answer_id === answerId && body.version === version);
}

/** @returns whether its text leads to the receipt of its ingest */
function checkCitation(item: OpenItem, receipts: readonly SignedReceipt[]): boolean {
  const { shown, index } = item;
  if (typeof shown.at('content')?.value !== 'string') return false;
  const passage = {
    chunkId: shown.text('chunk_id') ?? '',
    contentHash: (shown.text('content_hash') ?? '') as Digest,
    corpusId: shown.text('corpus_id') ?? '',
    docId: shown.text('doc_id') ?? '',
    version: shown.number('doc_version') ?? -1,
    binding: bindingOf(item),
  };
  const named = citedBy(recordingOf(item, receipts), shown.number('ordinal'));
  if (named?.chunk_id !== passage.chunkId || named.content_hash !== passage.contentHash)
    throw new Error(`item ${index}: the receipt of the answer does not name it`);
  const fault = bindingFault(passage, [named], receipts);
  if (fault !== undefined) throw new Error(`item ${index}: ${fault}`);
  return passage.binding !== null;
}

function citedBy(body: CborMap | undefined, ordinal: number | undefined): CborMap | undefined {
  const citations = body?.citations;
  const cited = Array.isArray(citations) ? (citations as readonly CborValue[])[ordinal ?? -1] : undefined;
  return isCborMap(cited) ? cited : undefined;
}

/** @throws Error when it is withheld, or has another form */
function bindingOf({ shown, index }: OpenItem): ContentBinding | null {
  const value = shown.at('binding')?.whole();
  try {
    checkShape(value, orNull(BINDING), 'binding');
  } catch (error) {
    throw new Error(`item ${index}: what binds its text is withheld, or is no binding`, { cause: error });
  }
  return value as unknown as ContentBinding | null;
}
