import { type CborMap, type CborValue, isCborMap } from '../cbor.js';
import { bindingFault } from '../content-bindings.js';
import type { Digest } from '../digest.js';
import { BINDING, type ContentBinding } from '../pack-format.js';
import type { SignedReceipt } from '../receipt.js';
import { isOfAnotherTime } from '../receipt-times.js';
import { checkShape, orNull } from '../shape.js';
import type { OpenExport, OpenItem } from './open-export.js';

/**
 * Answers and citations are what the receipts of the recording say, and cited texts lead to the receipts of their
 * ingest. docs/formats/export.md, step `contents`. Only where every receipt is shown whole: what is withheld cannot be
 * asked for.
 * @returns how many texts lead to the receipt of their ingest
 */
export function checkBindings({ items, file: { manifest } }: OpenExport): number {
  const opened = items.filter(({ type }) => type === 'receipt').map(({ receipt }) => receipt);
  const receipts = opened.filter((receipt) => receipt !== undefined);
  if (receipts.length === 0 || receipts.length !== opened.length) return 0;
  const recordings = receipts.filter(isRecording);
  for (const item of items) {
    if (item.type === 'answer') checkAnswer(item, recordings);
    if (item.type === 'citation') checkEntry(item, recordings);
  }
  if (manifest.subject === 'answer' && manifest.complete) checkNumber(items, recordings);
  return items.filter((item) => item.type === 'citation' && checkCitation(item, receipts, recordings)).length;
}

const isRecording = ({ payload }: SignedReceipt): boolean => payload.kind === 'answer.recorded';

function checkAnswer(item: OpenItem, recordings: readonly SignedReceipt[]): void {
  const { shown, index } = item;
  const recording = recordingOf(item, recordings);
  const digest = shown.at('text_hash')?.value;
  if (digest !== undefined && recording?.payload.body.answer_hash !== digest)
    throw new Error(`item ${index}: no receipt of the answer names its text_hash`);
  if (!recording) return;
  const { actor, occurred_at, body } = recording.payload;
  expectSame(item, { receipt_id: recording.receiptId, recorded_by: actor, agent_id: body.agent_id });
  const recordedAt = shown.text('recorded_at');
  if (recordedAt !== undefined && isOfAnotherTime(new Date(recordedAt), occurred_at))
    throw new Error(`item ${index}: recorded_at is of another time than the receipt of the answer`);
}

const OF_ENTRY = 'chunk_id content_hash corpus_id doc_id start end quote_hash note_hash'.split(' ');

/** What is shown of a citation, its text or not, is what the receipt of the answer says of it. */
function checkEntry(item: OpenItem, recordings: readonly SignedReceipt[]): void {
  const body = recordingOf(item, recordings)?.payload.body;
  const ordinal = item.shown.number('ordinal');
  if (!Array.isArray(body?.citations) || ordinal === undefined) return;
  const entry = citedBy(body, ordinal);
  if (!entry) throw new Error(`item ${item.index}: the receipt of the answer has no such citation`);
  const said = Object.fromEntries(OF_ENTRY.map((name) => [name, entry[name]]));
  expectSame(item, { ...said, doc_version: entry.version });
}

/** One item for each citation that the receipts name: each has its place, and no two have the same. */
function checkNumber(items: readonly OpenItem[], recordings: readonly SignedReceipt[]): void {
  const named = recordings.map(({ payload }) => payload.body.citations);
  if (!named.every((list) => Array.isArray(list))) return;
  const cited = items.filter(({ type }) => type === 'citation');
  const count = named.flat().length;
  if (cited.length !== count)
    throw new Error(`the receipts of the answer name ${count} citations, and the export has ${cited.length}`);
  const places = cited
    .map(({ shown }) => [shown.text('answer_id'), shown.number('version'), shown.number('ordinal')])
    .filter((place) => !place.includes(undefined));
  if (new Set(places.map((place) => JSON.stringify(place))).size !== places.length)
    throw new Error('a citation of the answer is there twice');
}

/** As far as the item shows it and the receipt has it. */
function expectSame({ shown, index }: OpenItem, said: Readonly<Record<string, CborValue | undefined>>): void {
  for (const [name, value] of Object.entries(said)) {
    const own = shown.at(name)?.value;
    if (own !== undefined && value !== undefined && own !== value)
      throw new Error(`item ${index}: ${name} is not the one that the receipt of the answer has`);
  }
}

/** The receipt under which an answer, or the one that a citation is of, was recorded. */
function recordingOf({ shown }: OpenItem, recordings: readonly SignedReceipt[]): SignedReceipt | undefined {
  const [answerId, version] = [shown.text('answer_id'), shown.number('version')];
  return recordings.find(({ payload: { body } }) => body.answer_id === answerId && body.version === version);
}

/** @returns whether its text leads to the receipt of its ingest */
function checkCitation(
  item: OpenItem,
  receipts: readonly SignedReceipt[],
  recordings: readonly SignedReceipt[],
): boolean {
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
  const named = citedBy(recordingOf(item, recordings)?.payload.body, shown.number('ordinal'));
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
