import { Injectable } from '@nestjs/common';
import { CborError } from '../../../evidence/cbor.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { firstError, RecordChecks } from '../../../common/evidence-log/record-checks.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { findUnattested } from './citations.rules.js';
import { CitationsStore } from './citations.store.js';
import type { Answer, Attestation, ResolvedCitation, VisibleChunk } from './citations.types.js';

/** An answer with what it cites, as recorded. */
export interface CitedAnswer {
  answer: Answer;
  citations: ResolvedCitation[];
}

/** Reads answers and what they cite. Needs an open unit of work. */
@Injectable()
export class AnswersService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: CitationsStore,
    private readonly evidence: EvidenceService,
    private readonly records: EvidenceRecords,
    private readonly checks: RecordChecks,
  ) {}

  /** The newest version of an answer of the open unit of work's tenant. */
  async findAnswer(answerId: string): Promise<CitedAnswer | undefined> {
    return this.withCitations(await this.store.findAnswer(answerId));
  }

  /** Answers whose newest version names the project in its metadata (`project_id`), newest first. */
  async listOfProject(projectId: string, limit: number): Promise<CitedAnswer[]> {
    const answers: CitedAnswer[] = [];
    for (const answer of await this.store.listOfProject(projectId, limit)) {
      const citations = await this.store.findCitations(answer.answerId, answer.version);
      answers.push({ answer, citations });
    }
    return answers;
  }

  async findAnswerVersion(answerId: string, version: number): Promise<CitedAnswer | undefined> {
    return this.withCitations(await this.store.findAnswerVersion(answerId, version));
  }

  /** One version of an answer that is known to exist: versions are never changed or removed. */
  async readAnswer(answerId: string, version: number): Promise<CitedAnswer> {
    const found = await this.findAnswerVersion(answerId, version);
    if (!found) throw new Error('a recorded version of an answer is gone');
    return found;
  }

  /** Passages as the tenant sees them now, by id; what it may not see is missing. */
  findChunks(chunkIds: readonly string[]): Promise<Map<string, VisibleChunk>> {
    return this.store.findChunks(chunkIds);
  }

  /** Holds the rows of a version against its receipt, and checks the receipt itself from its bytes. */
  async attest(found: CitedAnswer): Promise<Attestation> {
    const stored = await this.records.find(found.answer.receiptId);
    if (!stored) return { receiptCheck: 'RECORD_MISSING', isAsAttested: false };
    const receiptCheck = firstError(await this.checks.check(stored));
    return { receiptCheck, isAsAttested: await this.isAsAttested(found) };
  }

  /**
   * Whether the rows of a version are what its receipt attests. A receipt that cannot be read attests nothing.
   * @throws ReceiptUnknown
   */
  async isAsAttested({ answer, citations }: CitedAnswer): Promise<boolean> {
    const before = await this.store.findAnswerVersion(answer.answerId, answer.version - 1);
    const supersedes = before?.receiptId ?? null;
    try {
      const { actor, occurred_at: occurredAt, body } = (await this.evidence.read(answer.receiptId)).payload;
      const receipt = { actor, occurredAt, body };
      return findUnattested({ answer, citations, supersedes }, receipt, this.tenancy.tenant) === undefined;
    } catch (error) {
      if (error instanceof CborError) return false;
      throw error;
    }
  }

  private async withCitations(answer: Answer | undefined): Promise<CitedAnswer | undefined> {
    return answer && { answer, citations: await this.store.findCitations(answer.answerId, answer.version) };
  }
}
