import { Injectable } from '@nestjs/common';
import { CborError } from '../../../evidence/cbor.js';
import { openReceipt } from '../../../evidence/receipt.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
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

/** Versions whose citations are in memory at once: each has the text of its passage. */
const VERSIONS_AT_ONCE = 20;

/** Reads answers and what they cite. Needs an open unit of work. */
@Injectable()
export class AnswersService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: CitationsStore,
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
    const { answerId, version } = found.answer;
    const before = await this.store.findAnswerVersion(answerId, version - 1);
    return { receiptCheck, isAsAttested: this.isAttestedBy(stored.record, found, before) };
  }

  /**
   * Whether the rows of some versions of an answer, which are known to exist, are what their receipts attest.
   * @param receipts their bytes, by version
   */
  async areAsAttested(answerId: string, receipts: ReadonlyMap<number, Uint8Array>): Promise<Map<number, boolean>> {
    const found = new Map<number, boolean>();
    const all = [...receipts.keys()];
    for (let from = 0; from < all.length; from += VERSIONS_AT_ONCE) {
      const versions = all.slice(from, from + VERSIONS_AT_ONCE);
      const rows = await this.store.findVersions(answerId, [...versions, ...versions.map((version) => version - 1)]);
      const answers = new Map(rows.map((answer) => [answer.version, answer]));
      const cited = await this.store.findCitationsOf(answerId, versions);
      for (const version of versions) {
        const answer = answers.get(version);
        if (!answer) throw new Error('a recorded version of an answer is gone');
        const whole = { answer, citations: cited.get(version) ?? [] };
        found.set(version, this.isAttestedBy(receipts.get(version)!, whole, answers.get(version - 1)));
      }
    }
    return found;
  }

  /** A receipt that cannot be read attests nothing. */
  private isAttestedBy(cose: Uint8Array, { answer, citations }: CitedAnswer, before: Answer | undefined): boolean {
    const supersedes = before?.receiptId ?? null;
    try {
      const { actor, occurred_at: occurredAt, body } = openReceipt(cose).payload;
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
