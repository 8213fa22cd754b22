import { Injectable } from '@nestjs/common';
import { FOREIGN_SOURCE } from '../../../../evidence/content-bindings.js';
import type { Digest } from '../../../../evidence/digest.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { ProofPacks } from '../../../../common/evidence-log/proof-packs.js';
import type { OutboxEvent } from '../../../../common/outbox/outbox.js';
import { verifyPack } from '../../../../evidence/verify-pack.js';
import { lockToCopy } from '../../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { AnswersService } from '../../citations/answers.service.js';
import { SourceStatesService } from '../../citations/source-states.service.js';
import type { SourceState } from '../../citations/source-states.types.js';
import { ContentService } from '../../ingest/content.service.js';
import { placeOf } from '../../retrieval/repeated-search.service.js';
import type { Passage } from '../../retrieval/retrieval.types.js';
import { JournalService } from '../../../continuity/sessions/journal/journal.service.js';
import type { JournalDraft } from '../../../continuity/sessions/journal/journal.types.js';
import { checkAnswer, checkChunk, checkQuotes, conclude, failed, notApplicable, passed } from './proof-checks.rules.js';
import type {
  Check,
  CheckedChunk,
  ExpectedChunk,
  Findings,
  FoundChunk,
  Grounds,
  ProofJob,
  ProofTask,
  Target,
} from './proof-job.types.js';
import { ProofChargesService } from '../proof-charges.service.js';
import { ProofJobsStore } from './proof-jobs.store.js';
import { ProofSubjectsService } from './proof-subjects.service.js';
import { entitlementKeyOf, ProofSubjectsViews } from './proof-subjects.views.js';
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
    private readonly states: SourceStatesService,
    private readonly content: ContentService,
    private readonly views: ProofSubjectsViews,
    private readonly searches: SearchChecksService,
    private readonly audit: AuditTrail,
    private readonly packs: ProofPacks,
    private readonly journal: JournalService,
    private readonly charges: ProofChargesService,
  ) {}

  async run({ tenantId, jobId }: ProofTask): Promise<void> {
    await this.tenancy.run(tenantId, () => this.begin(jobId));
    await this.tenancy.run(tenantId, async () => {
      await lockToCopy(this.tenancy);
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
        receipt: bodyOf(job, grounds, findings, tenantId),
        makeEvent: (receiptId) => completedEvent(job, findings, receiptId),
      });
      await this.store.complete(jobId, findings, grounds.receiptIds, receiptId);
      await this.journal.append(job.agentId, completionOf(job, findings, receiptId));
    });
  }

  /** What older versions lack is made up for first, so that the proof and its pack can rest on it. */
  private async begin(jobId: string): Promise<void> {
    await this.store.markRunning(jobId);
    const job = await this.store.find(jobId);
    if (job?.status !== 'running') return;
    const { chunks } = await this.subjects.readGrounds(job.target);
    await this.content.complete(chunks);
  }

  /** Ends a job that no attempt could bring to an end, and gives back what it cost. */
  async giveUp({ tenantId, jobId }: ProofTask, reason: string): Promise<void> {
    await this.tenancy.run(tenantId, async () => {
      if (await this.store.markFailed(jobId, reason)) await this.charges.refund(tenantId, jobId);
    });
  }

  private async examine({ mode, target }: ProofJob, grounds: Grounds): Promise<Findings> {
    const isRanked = mode !== 'light';
    const { ranking, checks } = isRanked
      ? await this.searches.repeat(this.tenancy.tenant, grounds.search)
      : { ranking: null, checks: [] };
    const context = { tenantId: this.tenancy.tenant, isRanked: ranking !== null };
    const found = await this.find(grounds.chunks, ranking);
    const chunks = grounds.chunks.map((expected, index) => checkChunk(expected, found[index]!, context));
    const whole = [...(await this.checkRecord(target, grounds)), ...checks];
    if (mode !== 'audit') return conclude(chunks, whole);
    return conclude(chunks, [
      ...whole,
      await this.searches.checkLedger(grounds.search),
      await this.checkLog(grounds.receiptIds),
    ]);
  }

  /** What is to be said of the subject as a whole, against its own receipts. */
  private async checkRecord(target: Target, grounds: Grounds): Promise<Check[]> {
    if (target.type === 'answer') {
      const found = await this.answers.readAnswer(target.answerId, target.version);
      return [checkAnswer(await this.answers.attest(found), found), checkQuotes(grounds)];
    }
    if (target.type !== 'document') return [];
    const { corpusId, docId, version } = target;
    const ownerTenantId = this.tenancy.tenant;
    const { ok, detail } = await this.content.checkVersion({ ownerTenantId, corpusId, docId, docVersion: version });
    return [(ok ? passed : failed)('document', detail)];
  }

  /** What there is now in place of each expected passage. */
  private async find(chunks: readonly ExpectedChunk[], ranking: readonly Passage[] | null): Promise<FoundChunk[]> {
    // First: what its owner erases afterwards is found to be gone, and not altered.
    const contents = await this.content.check(chunks);
    const now = await this.states.look(chunks);
    const recorded = await this.answers.findChunks(chunks.map(({ chunkId }) => chunkId));
    const entitlements = await this.views.findEntitlements();
    return chunks.map((chunk, index) => {
      const found = recorded.get(chunk.chunkId);
      return {
        now: now[index]!,
        content: contents[index]!,
        recorded: found?.ownerTenantId === chunk.ownerTenantId ? found : undefined,
        entitledAt: entitlements.get(entitlementKeyOf(chunk)) ?? null,
        place: ranking && placeOf(chunk, ranking),
      };
    });
  }

  /** Makes a pack of the receipts the subject left and runs the verifier that third parties use on it. */
  private async checkLog(receiptIds: string[]): Promise<Check> {
    if (receiptIds.length === 0) return notApplicable('log', 'the subject has no receipts of its own');
    const pack = await this.packs.make({ subject: { type: 'receipts', id: receiptIds[0]! }, receiptIds, chunks: [] });
    const { checks } = verifyPack(pack);
    const fault = checks.find(({ ok }) => !ok);
    if (fault) return failed('log', `${fault.name}: ${fault.detail}`);
    const details = checks
      .filter(({ name }) => name === 'inclusion' || name === 'checkpoint')
      .map(({ detail }) => detail);
    return passed('log', details.join('; '));
  }
}

function completedEvent(job: ProofJob, { verdict, drift }: Findings, receiptId: string): OutboxEvent {
  const { jobId, mode, agentId, subject } = job;
  return {
    kind: PROOF_COMPLETED,
    subject: jobId,
    data: { jobId, mode, agentId, subject, verdict, driftCategories: drift, receiptId },
  };
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
function bodyOf(
  job: ProofJob,
  grounds: Grounds,
  { checks, chunks, verdict, drift }: Findings,
  tenantId: string,
): object {
  return {
    job_id: job.jobId,
    mode: job.mode,
    agent_id: job.agentId,
    subject: job.subject,
    verdict,
    drift_categories: drift,
    charged_mode: job.chargedMode,
    checks,
    relies_on: grounds.receiptIds,
    query: grounds.search?.request.query ?? null,
    chunks: chunks.map((chunk) => evidenceOf(chunk, tenantId)),
  };
}

interface ChunkEvidence {
  chunk_id: string;
  content_hash: Digest;
  corpus_id: string;
  doc_id: string;
  version: number;
  /** Whose it is: the tenant's own, or `commons`. */
  source: 'tenant' | 'commons';
  recorded_rank: number | null;
  rank: number | null;
  state: SourceState;
  failed: string[];
}

const evidenceOf = (chunk: CheckedChunk, tenantId: string): ChunkEvidence => ({
  chunk_id: chunk.chunkId,
  content_hash: chunk.contentHash,
  corpus_id: chunk.corpusId,
  doc_id: chunk.docId,
  version: chunk.docVersion,
  source: chunk.ownerTenantId === tenantId ? 'tenant' : FOREIGN_SOURCE,
  recorded_rank: chunk.recordedRank,
  rank: chunk.rank,
  state: chunk.state,
  failed: chunk.checks.filter(({ ok }) => !ok).map(({ name }) => name),
});
