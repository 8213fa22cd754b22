import { Injectable } from '@nestjs/common';
import type { Digest } from '../../../../evidence/digest.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { ProofPacks } from '../../../../common/evidence-log/proof-packs.js';
import type { OutboxEvent } from '../../../../common/outbox/outbox.js';
import { verifyPack } from '../../../../evidence/verify-pack.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { AnswersService } from '../../citations/answers.service.js';
import { JournalService } from '../../../continuity/sessions/journal/journal.service.js';
import type { JournalDraft } from '../../../continuity/sessions/journal/journal.types.js';
import { checkChunks, conclude } from './proof-checks.rules.js';
import type { Check, CheckedChunk, Findings, Grounds, ProofJob, ProofTask } from './proof-job.types.js';
import { ProofChargesService } from '../proof-charges.service.js';
import { ProofJobsStore } from './proof-jobs.store.js';
import { ProofSubjectsService } from './proof-subjects.service.js';
import { SearchChecksService } from './search-checks.service.js';

const PROOF_COMPLETED = 'proof.completed';

/**
 * Makes the proofs. Everything a job finds, its receipt and its completion are one transaction; doing a job twice
 * changes nothing.
 */
@Injectable()
export class ProofRunService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ProofJobsStore,
    private readonly subjects: ProofSubjectsService,
    private readonly answers: AnswersService,
    private readonly searches: SearchChecksService,
    private readonly audit: AuditTrail,
    private readonly packs: ProofPacks,
    private readonly journal: JournalService,
    private readonly charges: ProofChargesService,
  ) {}

  async run({ tenantId, jobId }: ProofTask): Promise<void> {
    await this.tenancy.run(tenantId, () => this.store.markRunning(jobId));
    await this.tenancy.run(tenantId, async () => {
      const job = await this.store.find(jobId, true);
      if (job?.status !== 'running') return;
      const grounds = await this.subjects.readGrounds(job.target);
      const findings = await this.examine(job, grounds);
      await this.journal.hold(job.agentId);
      // The receipt comes last: from there on other writers of the tenant wait for this transaction.
      const by = { principal: job.requestedBy, authType: job.authMode };
      const { receiptId } = await this.audit.record(by, {
        kind: PROOF_COMPLETED,
        subject: jobId,
        receipt: bodyOf(job, grounds, findings),
        makeEvent: (receiptId) => completedEvent(job, findings, receiptId),
      });
      await this.store.complete(jobId, findings, grounds.receiptIds, receiptId);
      await this.journal.append(job.agentId, completionOf(job, findings, receiptId));
    });
  }

  /** Ends a job that no attempt could bring to an end, and gives back what it cost. */
  async giveUp({ tenantId, jobId }: ProofTask, reason: string): Promise<void> {
    await this.tenancy.run(tenantId, async () => {
      if (await this.store.markFailed(jobId, reason)) await this.charges.refund(tenantId, jobId);
    });
  }

  private async examine({ mode }: ProofJob, grounds: Grounds): Promise<Findings> {
    const present = await this.answers.findChunks(grounds.chunks.map(({ chunkId }) => chunkId));
    if (mode === 'light') return conclude(checkChunks(grounds.chunks, present, null), []);
    const { ranking, check } = await this.searches.repeat(this.tenancy.tenant, grounds.search);
    const chunks = checkChunks(grounds.chunks, present, ranking);
    const whole = check ? [check] : [];
    if (mode === 'verified') return conclude(chunks, whole);
    return conclude(chunks, [
      ...whole,
      await this.searches.checkLedger(grounds.search),
      await this.checkLog(grounds.receiptIds),
    ]);
  }

  /** Makes a pack of the receipts the subject left and runs the verifier that third parties use on it. */
  private async checkLog(receiptIds: string[]): Promise<Check> {
    if (receiptIds.length === 0) return { name: 'log', ok: true, detail: 'the subject has no receipts of its own' };
    const pack = await this.packs.make({ subject: { type: 'receipts', id: receiptIds[0]! }, receiptIds, chunks: [] });
    const { checks } = verifyPack(pack);
    const failed = checks.find(({ ok }) => !ok);
    if (failed) return { name: 'log', ok: false, detail: `${failed.name}: ${failed.detail}` };
    const details = checks
      .filter(({ name }) => name === 'inclusion' || name === 'checkpoint')
      .map(({ detail }) => detail);
    return { name: 'log', ok: true, detail: details.join('; ') };
  }
}

function completedEvent(job: ProofJob, { verdict }: Findings, receiptId: string): OutboxEvent {
  const { jobId, mode, agentId, subject } = job;
  return { kind: PROOF_COMPLETED, subject: jobId, data: { jobId, mode, agentId, subject, verdict, receiptId } };
}

/** The entry of the agent's journal. */
const completionOf = ({ jobId, mode, subject }: ProofJob, { verdict }: Findings, receiptId: string): JournalDraft => ({
  type: 'proof_completed',
  subject: jobId,
  data: {
    jobId,
    verdict,
    mode,
    subjectType: subject.type,
    subjectId: subject.id,
    ...(subject.version === null ? {} : { subjectVersion: subject.version }),
    receiptId,
  },
  source: 'proofs',
  eventId: `proof:${jobId}`,
});

/** What is signed: what was proven, what it rests on, what was found; of texts only their digests. */
function bodyOf(job: ProofJob, grounds: Grounds, { checks, chunks, verdict }: Findings): object {
  return {
    job_id: job.jobId,
    mode: job.mode,
    agent_id: job.agentId,
    subject: job.subject,
    verdict,
    checks,
    relies_on: grounds.receiptIds,
    query: grounds.search?.request.query ?? null,
    chunks: chunks.map(evidenceOf),
  };
}

interface ChunkEvidence {
  chunk_id: string;
  content_hash: Digest;
  corpus_id: string;
  doc_id: string;
  version: number;
  recorded_rank: number | null;
  rank: number | null;
  failed: string[];
}

const evidenceOf = (chunk: CheckedChunk): ChunkEvidence => ({
  chunk_id: chunk.chunkId,
  content_hash: chunk.contentHash,
  corpus_id: chunk.corpusId,
  doc_id: chunk.docId,
  version: chunk.docVersion,
  recorded_rank: chunk.recordedRank,
  rank: chunk.rank,
  failed: chunk.checks.filter(({ ok }) => !ok).map(({ name }) => name),
});
