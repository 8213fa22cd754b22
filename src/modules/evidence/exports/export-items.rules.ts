import { type CborMap, toCbor } from '../../../evidence/cbor.js';
import { blake3, blake3Digest, type Digest, namedDigest } from '../../../evidence/digest.js';
import type { StoredRecord } from '../../../common/evidence-log/evidence-records.js';
import type { ContentBinding } from '../../../evidence/pack-format.js';
import type { DraftItem } from '../../../evidence/export/sign-export.js';
import type { RecordFinding, RecordReport } from '../../../common/evidence-log/record-checks.js';
import { openReceipt, openRetrieval } from '../../../evidence/receipt.js';
import type { PassageNow } from '../../knowledge/citations/source-states.types.js';
import type { ContentFinding } from '../../knowledge/ingest/content.types.js';
import type { FactEvidence } from '../../memory/facts/facts.types.js';
import type { StreamEvent, StreamName } from '../../memory/streams/streams.types.js';
import type { CitedText, EvidenceEventRow, RecordedAnswer } from './subjects.views.js';

/**
 * A record of the log, whole, and each part of its payload as a field of its own.
 * @throws CborError when it cannot be read
 */
export function recordItem(stored: StoredRecord): { item: DraftItem; authMode: string } {
  const ingested_at = stored.ingestedAt.toISOString();
  const record = namedDigest('blake3', blake3(stored.record));
  const bytes = Uint8Array.from(stored.record);
  if (stored.family === 'retrieval') {
    const { receiptId, payload } = openRetrieval(bytes);
    const value = { cbor: bytes, receipt_id: receiptId, ingested_at, payload: { ...payload } };
    return { item: { type: 'retrieval', record, value }, authMode: payload.auth_mode };
  }
  const { receiptId, payloadHash, payload } = openReceipt(bytes);
  const value = { cose: bytes, receipt_id: receiptId, payload_hash: payloadHash, ingested_at, payload: { ...payload } };
  return { item: { type: 'receipt', record, value }, authMode: payload.auth_mode };
}

const item = (type: string, value: CborMap): DraftItem => ({ type, record: null, value });

const hashOrNull = (text: string | null): Digest | null => (text === null ? null : blake3Digest(text));

export const answerItem = (answer: RecordedAnswer): DraftItem =>
  item('answer', {
    answer_id: answer.answerId,
    version: answer.version,
    agent_id: answer.agentId,
    text: answer.text,
    text_hash: hashOrNull(answer.text),
    recorded_by: answer.recordedBy,
    recorded_at: answer.recordedAt.toISOString(),
    receipt_id: answer.receiptId,
  });

/**
 * A text that is not what its digest says any more is not shown with it. One of the tenant's own without a path to the
 * receipt of its ingest is not shown either.
 */
export const citationItem = (cited: CitedText, binding: ContentBinding | null, tenantId: string): DraftItem =>
  item('citation', {
    answer_id: cited.answerId,
    version: cited.version,
    ordinal: cited.ordinal,
    chunk_id: cited.chunkId,
    corpus_id: cited.corpusId,
    doc_id: cited.docId,
    doc_version: cited.docVersion,
    title: cited.title,
    url: cited.url,
    ...(binding === null && cited.ownerTenantId === tenantId
      ? {}
      : { content: isIntact(cited) ? cited.content : null }),
    content_hash: cited.contentHash,
    start: cited.start,
    end: cited.end,
    quote: cited.quote,
    quote_hash: hashOrNull(cited.quote),
    note: cited.note,
    note_hash: hashOrNull(cited.note),
    binding: toCbor(binding),
  });

const isIntact = ({ content, contentHash }: CitedText): boolean => blake3Digest(content) === contentHash;

/** docs/formats/segments.md says what the digests of an event are over. */
export const eventItem = ({ streamType, streamId }: StreamName, event: StreamEvent): DraftItem =>
  item('event', {
    stream_type: streamType,
    stream_id: streamId,
    seq: event.seq,
    event_id: event.eventId,
    type: event.type,
    occurred_at: event.occurredAt,
    recorded_at: event.recordedAt,
    payload: event.payload,
    salt: Uint8Array.from(event.salt),
    payload_digest: event.payloadDigest,
    digest: event.digest,
    receipt_id: event.receiptId,
  });

/** A fact with what leads to the receipt that binds it. */
export const factItem = ({ fact, storedAt, binding }: FactEvidence): DraftItem =>
  item('fact', {
    ...fact,
    stored_at: storedAt.toISOString(),
    binding: binding && { receipt_id: binding.receiptId, index: binding.index, path: binding.path },
    ...(binding === null ? { unproven: true } : {}),
  });

/** An event of the outbox about the subject, as it was published. */
export const outboxEventItem = ({ eventId, kind, subject, data, occurredAt }: EvidenceEventRow): DraftItem =>
  item('happening', { event_id: eventId, kind, subject, occurred_at: occurredAt.toISOString(), data });

/** What was found of a record when the export was made: codes alone, because details depend on a log that grows. */
export const recordFinding = (receiptId: string, report: RecordReport): DraftItem =>
  item('finding', {
    receipt_id: receiptId,
    record: codeOf(report.record),
    signature: codeOf(report.signature),
    chain: codeOf(report.chain),
    log: codeOf(report.log),
  });

const codeOf = ({ ok, code }: RecordFinding): string | null => (ok === null ? null : code);

/** Whether the rows of an answer are what the receipt of its recording attests. */
export const answerFinding = ({ answerId, version }: RecordedAnswer, isAsAttested: boolean): DraftItem =>
  item('finding', { answer_id: answerId, version, answer: isAsAttested ? 'intact' : 'changed' });

/** Whether what was cited is what was ingested, and still holds. */
export const textFinding = (cited: CitedText, { state, drift }: PassageNow, content: ContentFinding): DraftItem =>
  item('finding', {
    answer_id: cited.answerId,
    version: cited.version,
    ordinal: cited.ordinal,
    chunk_id: cited.chunkId,
    text: isIntact(cited) && content.ok ? 'intact' : 'changed',
    source: state,
    drift: [...drift],
  });
