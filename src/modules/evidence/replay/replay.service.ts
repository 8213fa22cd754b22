import { Injectable } from '@nestjs/common';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AnswersService, type CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { ResolvedCitation } from '../../knowledge/citations/citations.types.js';
import { capsuleOf, holds, sourceOf } from './capsule.rules.js';
import { RecordedAnswersService } from './recorded-answers.service.js';
import { renderAnswer } from './rendering.rules.js';
import type { AnswerReplay, ReplayedCitation, ReplayQuery } from './replay.dto.js';

/** Replays answers from what was recorded of them, whatever became of their sources. */
@Injectable()
export class ReplayService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly recorded: RecordedAnswersService,
    private readonly answers: AnswersService,
  ) {}

  /** @throws AnswerUnknown, ShardUnknown */
  async replay(caller: DaemonCaller, answerId: string, query: ReplayQuery): Promise<AnswerReplay> {
    const { tenant_id, shard_id, version } = query;
    await this.recorded.checkShard(shard_id);
    const { asked, newest, attestation } = await this.tenants.run(caller, tenant_id, async () => {
      const found = await this.recorded.read(answerId, version);
      return { ...found, attestation: await this.answers.attest(found.asked) };
    });
    return {
      schema: 'svc.answer-replay/1',
      tenant_id,
      answer_id: answerId,
      status: asked === newest ? 'recorded' : 'superseded',
      mode: 'historical',
      receipt_check: attestation.receiptCheck,
      as_attested: attestation.isAsAttested,
      capsule: capsuleOf(asked, tenant_id),
      evidence: asked.citations.map((citation, ordinal) => replayed(citation, ordinal, { asked, tenant_id })),
      stored_answer: asked.answer.answerText,
      rendered_answer: renderAnswer(asked.answer.answerText, asked.citations),
      agent_required: asked.answer.answerText === null,
      llm_required: asked.answer.answerText === null,
    };
  }
}

function replayed(
  citation: ResolvedCitation,
  ordinal: number,
  { asked, tenant_id }: { asked: CitedAnswer; tenant_id: string },
): ReplayedCitation {
  const { chunk, start, end, quote, note } = citation;
  const { hash, quote: quoteHolds } = holds(citation);
  return {
    ordinal,
    chunk_id: chunk.chunkId,
    corpus_id: chunk.corpusId,
    doc_id: chunk.docId,
    doc_version: chunk.docVersion,
    source: sourceOf(chunk, tenant_id),
    title: chunk.title,
    url: chunk.url,
    content: chunk.content,
    content_hash: chunk.contentHash,
    hash_holds: hash,
    start,
    end,
    quote,
    quote_holds: quoteHolds,
    note,
    receipt_ids: receiptsOf(asked, chunk.chunkId),
  };
}

/** The receipt of the answer, and those of the search that found the passage. */
function receiptsOf({ answer: { receiptId, retrieval } }: CitedAnswer, chunkId: string): string[] {
  const wasFound = retrieval?.results.some((result) => result.chunkId === chunkId) ?? false;
  const behind = wasFound ? [retrieval!.receiptId, retrieval!.executionReceiptId] : [];
  return [receiptId, ...behind].filter((id) => id !== null);
}
