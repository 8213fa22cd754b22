import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalidMembers } from '../../../common/problem/common-problems.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { RetrievalService } from '../retrieval/retrieval.service.js';
import type { RecordedRetrieval } from '../retrieval/retrieval.types.js';
import type { CitationAcknowledgement, CitationRecordingBody, RecordedCitation } from './citations.dto.js';
import { AnswerOfAnotherAgent } from './citations.problems.js';
import { attestedOf, resolveCitations, sourceOf } from './citations.rules.js';
import { CitationsStore } from './citations.store.js';
import type { Answer, RecordedSearch, ResolvedCitation } from './citations.types.js';

/** Records answers by what they cite (D19). Needs an open unit of work of the caller's tenant. */
@Injectable()
export class CitationsService {
  constructor(
    private readonly store: CitationsStore,
    private readonly audit: AuditTrail,
    private readonly retrieval: RetrievalService,
    private readonly tenancy: Tenancy,
  ) {}

  /** @throws ValidationFailed naming each citation that does not fit its passage; AnswerOfAnotherAgent */
  async record(
    caller: TenantCaller,
    body: Omit<CitationRecordingBody, 'idempotencyKey'>,
  ): Promise<CitationAcknowledgement> {
    const { answerId, agentId, answerText = null, metadata = null } = body;
    await lockToCopy(this.tenancy);
    const citations = await this.resolve(body);
    const cited = citations.map(({ chunk }) => chunk.chunkId);
    const search = await this.findSearchBehind(caller, agentId, cited);
    const before = await this.findBefore(answerId, agentId);
    const draft = { answerId, version: (before?.version ?? 0) + 1, agentId, answerText, metadata, retrieval: search };
    const answerHash = answerText === null ? null : blake3Digest(answerText);
    const { receiptId } = await this.audit.record(caller, {
      kind: 'answer.recorded',
      subject: answerId,
      event: { answerId, version: draft.version, agentId, citationCount: citations.length },
      receipt: attestedOf({ answer: draft, citations, supersedes: before?.receiptId ?? null }, caller.tenantId),
    });
    const recordedAt = await this.store.record({ ...draft, receiptId, recordedBy: caller.principal }, citations);
    return {
      answerId,
      version: draft.version,
      agentId,
      recordedAt: recordedAt.toISOString(),
      receiptId,
      answerHash,
      retrievalId: search?.retrievalId ?? null,
      citationCount: citations.length,
      citations: citations.map((citation) => recordedOf(citation, caller.tenantId)),
    };
  }

  /** @throws ValidationFailed naming each citation that does not fit its passage */
  async check(body: Pick<CitationRecordingBody, 'citations'>): Promise<void> {
    await this.resolve(body);
  }

  /** The version that a recording follows; no other recording of the answer comes between. */
  private async findBefore(answerId: string, agentId: string): Promise<Answer | undefined> {
    const before = await this.store.findAnswer(answerId, true);
    if (before && before.agentId !== agentId) {
      const detail = `Agent ${before.agentId} recorded this answer; choose another answerId`;
      throw new AnswerOfAnotherAgent({ answerId }, detail);
    }
    return before;
  }

  /** The agent's last retrieval, in any lane. */
  async findLastSearch(caller: TenantCaller, agentId: string): Promise<RecordedSearch | undefined> {
    return this.withReceipts(await this.retrieval.findLast(caller, agentId));
  }

  /** A retrieval of the verified or the audit lane; the light one keeps no more than the last. */
  async findSearch(caller: TenantCaller, retrievalId: string): Promise<RecordedSearch | undefined> {
    return this.withReceipts(await this.retrieval.find(caller, retrievalId));
  }

  private async withReceipts(retrieval: RecordedRetrieval | undefined): Promise<RecordedSearch | undefined> {
    if (!retrieval) return undefined;
    const { retrievalId, lane, request, results } = retrieval;
    return { retrievalId, lane, request, results, ...(await this.store.findSearchReceipts(retrievalId)) };
  }

  /** The agent's last retrieval, where one of these passages is among its results. */
  async findSearchBehind(
    caller: TenantCaller,
    agentId: string,
    chunkIds: readonly unknown[],
  ): Promise<RecordedSearch | null> {
    const cited = new Set(chunkIds);
    const search = await this.findLastSearch(caller, agentId);
    return search?.results.some(({ chunkId }) => cited.has(chunkId)) ? search : null;
  }

  private async resolve({ citations }: Pick<CitationRecordingBody, 'citations'>): Promise<ResolvedCitation[]> {
    const chunks = await this.store.findChunks(citations.map(({ chunkId }) => chunkId));
    const resolution = resolveCitations(citations, chunks);
    if (resolution.issues.length > 0) throw invalidMembers(resolution.issues);
    return resolution.citations;
  }
}

/** A citation as it is shown. */
export function recordedOf({ chunk, start, end, quote, note }: ResolvedCitation, tenantId: string): RecordedCitation {
  return {
    chunkId: chunk.chunkId,
    corpusId: chunk.corpusId,
    docId: chunk.docId,
    docVersion: chunk.docVersion,
    contentHash: chunk.contentHash,
    source: sourceOf(chunk, tenantId),
    current: chunk.current,
    ...(chunk.location ? { location: chunk.location } : {}),
    start,
    end,
    quote,
    note,
  };
}
