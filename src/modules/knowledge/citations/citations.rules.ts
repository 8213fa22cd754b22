import { findOtherWriter, type ReadReceipt } from '../../../common/evidence-log/receipt-bodies.js';
import { encodeCanonical, toCbor } from '../../../evidence/cbor.js';
import { blake3Digest } from '../../../evidence/digest.js';
import type { Issue } from '../../../common/problem/common-problems.js';
import type { Answer, CitationRequest, ResolvedCitation, VisibleChunk } from './citations.types.js';

export interface Resolution {
  citations: ResolvedCitation[];
  issues: Issue[];
}

/** Holds every citation against the text it cites; each that does not fit is an issue under `body.citations[i]`. */
export function resolveCitations(
  requests: readonly CitationRequest[],
  chunks: ReadonlyMap<string, VisibleChunk>,
): Resolution {
  const resolution: Resolution = { citations: [], issues: [] };
  requests.forEach((request, index) => {
    const found = resolveOne(request, chunks.get(request.chunkId));
    if ('member' in found) {
      resolution.issues.push({ path: `body.citations[${index}].${found.member}`, message: found.message });
    } else {
      resolution.citations.push(found);
    }
  });
  return resolution;
}

interface Fault {
  member: 'chunkId' | 'quote' | 'start' | 'end';
  message: string;
}

function resolveOne(request: CitationRequest, chunk: VisibleChunk | undefined): ResolvedCitation | Fault {
  if (!chunk) {
    const message = `names no passage this tenant can see: ${shorten(request.chunkId)}. Cite a chunkId that a retrieval returned`;
    return { member: 'chunkId', message };
  }
  const range = rangeOf(request, chunk.content);
  if ('member' in range) return range;
  return { chunk, ...range, note: request.note ?? null };
}

type Range = Pick<ResolvedCitation, 'start' | 'end' | 'quote'>;

function rangeOf({ quote, start, end }: CitationRequest, content: string): Range | Fault {
  if (start === undefined && end === undefined) return quote === undefined ? WHOLE : locate(quote, content);
  if (start === undefined) return { member: 'start', message: 'is needed where end is given' };
  if (end === undefined) return { member: 'end', message: 'is needed where start is given' };
  if (end <= start) return { member: 'end', message: 'must be greater than start' };
  if (end > content.length) {
    return { member: 'end', message: `is beyond the passage, which has ${content.length} UTF-16 code units` };
  }
  const slice = content.slice(start, end);
  if (!slice.isWellFormed()) return { member: 'start', message: 'start and end must not divide a character' };
  if (quote !== undefined && quote !== slice) {
    return { member: 'quote', message: `is not what stands from start to end; that is ${shorten(slice)}` };
  }
  return { start, end, quote: slice };
}

const WHOLE: Range = { start: null, end: null, quote: null };

/** Where the quote first occurs. Compared exactly: a quote that was reworded or re-spaced proves nothing. */
function locate(quote: string, content: string): Range | Fault {
  const start = content.indexOf(quote);
  if (start < 0) {
    return { member: 'quote', message: 'does not occur in the passage; quote it exactly, or leave quote out' };
  }
  return { start, end: start + quote.length, quote };
}

function shorten(text: string): string {
  return JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80).toWellFormed()}…`);
}

/** Whose passage: the tenant's own, or one shared with it. */
export const sourceOf = (chunk: VisibleChunk, tenantId: string): 'tenant' | 'commons' =>
  chunk.ownerTenantId === tenantId ? 'tenant' : 'commons';

/** One version of an answer as its receipt has to attest it. */
export interface Attested {
  answer: Pick<Answer, 'answerId' | 'version' | 'agentId' | 'answerText' | 'retrieval'>;
  citations: readonly ResolvedCitation[];
  /** The receipt of the version before. */
  supersedes: string | null;
}

/** The body of the receipt `answer.recorded`: digests of what was answered and cited, never the text. */
export function attestedOf({ answer, citations, supersedes }: Attested, tenantId: string): object {
  return {
    answer_id: answer.answerId,
    version: answer.version,
    agent_id: answer.agentId,
    answer_hash: digestOf(answer.answerText),
    retrieval_id: answer.retrieval?.retrievalId ?? null,
    retrieval_receipt_id: answer.retrieval?.receiptId ?? null,
    supersedes,
    citations: citations.map(({ chunk, start, end, quote, note }) => ({
      chunk_id: chunk.chunkId,
      content_hash: chunk.contentHash,
      corpus_id: chunk.corpusId,
      doc_id: chunk.docId,
      version: chunk.docVersion,
      source: sourceOf(chunk, tenantId),
      start,
      end,
      quote_hash: digestOf(quote),
      note_hash: digestOf(note),
    })),
  };
}

/** An answer with its citations as the rows have it. */
export interface RecordedRows extends Attested {
  answer: Attested['answer'] & Pick<Answer, 'recordedBy' | 'recordedAt'>;
}

/** Where an answer says another writer, another time, another text or other citations than its receipt. */
export function findUnattested(
  rows: RecordedRows,
  receipt: Pick<ReadReceipt, 'actor' | 'occurredAt' | 'body'>,
  tenantId: string,
): string | undefined {
  const { recordedBy, recordedAt } = rows.answer;
  const other = findOtherWriter(receipt, { written_by: recordedBy, written_at: recordedAt });
  if (other !== undefined) return other;
  // The session is that of the request; the answer does not know it.
  const { session_id: _session, ...said } = receipt.body;
  const isSame = canonicalOf(attestedOf(rows, tenantId)).equals(canonicalOf(said));
  return isSame ? undefined : 'its text or citations are not those that the receipt attests';
}

const canonicalOf = (body: object): Buffer => Buffer.from(encodeCanonical(toCbor(body)));

const digestOf = (text: string | null): string | null => (text === null ? null : blake3Digest(text));
