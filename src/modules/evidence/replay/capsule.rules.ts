import { encodeCanonical, toCbor } from '../../../evidence/cbor.js';
import { blake3Digest, type Digest } from '../../../evidence/digest.js';
import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { ResolvedCitation, VisibleChunk } from '../../knowledge/citations/citations.types.js';
import type { AnswerCapsule } from './replay.dto.js';

/** What a version of an answer is bound to: ids, versions and digests, no text. */
export function capsuleOf({ answer, citations }: CitedAnswer, tenantId: string): AnswerCapsule {
  const { retrieval } = answer;
  const members = {
    schema: 'svc.answer-capsule/1',
    tenant_id: tenantId,
    answer_id: answer.answerId,
    version: answer.version,
    agent_id: answer.agentId,
    recorded_at: answer.recordedAt.toISOString(),
    answer_hash: digestOf(answer.answerText),
    receipt_id: answer.receiptId,
    search: retrieval && {
      retrieval_id: retrieval.retrievalId,
      lane: retrieval.lane,
      receipt_id: retrieval.receiptId,
      execution_receipt_id: retrieval.executionReceiptId,
    },
    citations: citations.map(({ chunk, start, end, quote, note }, ordinal) => ({
      ordinal,
      chunk_id: chunk.chunkId,
      content_hash: chunk.contentHash,
      corpus_id: chunk.corpusId,
      doc_id: chunk.docId,
      doc_version: chunk.docVersion,
      source: sourceOf(chunk, tenantId),
      start,
      end,
      quote_hash: digestOf(quote),
      note_hash: digestOf(note),
    })),
  };
  return { ...members, capsule_hash: capsuleHashOf(members) };
}

/** BLAKE3-256 of the deterministic CBOR of all other members. */
export const capsuleHashOf = (members: Omit<AnswerCapsule, 'capsule_hash'>): Digest =>
  blake3Digest(encodeCanonical(toCbor(members)));

const digestOf = (text: string | null): string | null => (text === null ? null : blake3Digest(text));

/** Whose passage: the tenant's own, or one shared with it. Whose that is, is nobody's to know. */
export const sourceOf = ({ ownerTenantId }: VisibleChunk, tenantId: string): 'tenant' | 'commons' =>
  ownerTenantId === tenantId ? 'tenant' : 'commons';

/** Whether the recorded text has the recorded digest, and the cited words stand where they were. */
export const holds = ({ chunk, start, end, quote }: ResolvedCitation) => ({
  hash: blake3Digest(chunk.content) === chunk.contentHash,
  quote: quote === null || chunk.content.slice(start ?? 0, end ?? 0) === quote,
});
