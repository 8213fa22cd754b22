import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../../common/ids/uuid-form.js';
import { uuid } from '../../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { EarlierCheckpoints } from '../../../../common/evidence-log/earlier-checkpoints.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { AnswersService } from '../../citations/answers.service.js';
import type { PackQuery, ProofPackFile, ProofReceipt } from '../proof-receipts.dto.js';
import type { ProofOrder, ProofUpstream } from '../proof-upstream.js';
import type { ProofChunk, ProofChunkPage } from '../proof-chunks.dto.js';
import type { ProofJobRecord, ProofRequest } from '../proofs.dto.js';
import { AnswerUnknown, ProofJobFailed, ProofJobUnfinished, ProofJobUnknown } from '../proofs.problems.js';
import { PROOF_CONTRACT, PROOF_PRICES, type Page } from '../proofs.types.js';
import { chargedModeOf } from './proof-checks.rules.js';
import type { ProofJob, ProofTask } from './proof-job.types.js';
import { ProofJobsStore, type StoredChunk } from './proof-jobs.store.js';
import { ProofChargesService } from '../proof-charges.service.js';
import { ProofReceiptsService } from './proof-receipts.service.js';
import { ProofSubjectsService } from './proof-subjects.service.js';

/** What a proof is taken to last. */
const LASTS_MS = 1_000;

/** The built-in evidence engine: jobs in this database, receipts in this log (D20). */
@Injectable()
export class ProofEngineService implements ProofUpstream {
  readonly isElsewhere = false;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ProofJobsStore,
    private readonly subjects: ProofSubjectsService,
    private readonly receipts: ProofReceiptsService,
    private readonly answers: AnswersService,
    private readonly jobs: Jobs,
    private readonly charges: ProofChargesService,
    private readonly earlier: EarlierCheckpoints,
  ) {}

  open(caller: TenantCaller, { request }: ProofOrder): Promise<ProofJobRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      const found = await this.subjects.read(caller, request);
      const { agentId, mode, metadata = null } = request;
      const chargedMode = chargedModeOf(mode, await this.subjects.readGrounds(found.target));
      const job = await this.store.record({
        jobId: uuid(),
        agentId,
        mode,
        chargedMode,
        ...found,
        metadata,
        extra: extraOf(request),
        requestedBy: caller.principal,
        authMode: caller.authType,
      });
      await this.charges.charge(caller, { ...job, mode: chargedMode });
      const task: ProofTask = { tenantId: caller.tenantId, jobId: job.jobId };
      await this.jobs.send('proof', task, { lastsMs: LASTS_MS });
      return recordOf(job);
    });
  }

  readJob(caller: TenantCaller, jobId: string): Promise<ProofJobRecord> {
    return this.tenancy.run(caller.tenantId, async () => recordOf(await this.read(jobId)));
  }

  findNewest(caller: TenantCaller, answerId: string): Promise<ProofJobRecord | undefined> {
    return this.tenancy.run(caller.tenantId, async () => {
      const job = await this.store.findNewest('answer', answerId);
      return job && recordOf(job);
    });
  }

  readChunks(caller: TenantCaller, jobId: string, { limit, cursor }: Page): Promise<ProofChunkPage> {
    return this.tenancy.run(caller.tenantId, async () => {
      const job = await this.read(jobId);
      const [after] = decodeCursor(cursor, ['integer']) ?? [-1];
      const rows = await this.store.findChunks(jobId, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.ordinal]);
      return {
        ok: isOk(job),
        contract: PROOF_CONTRACT,
        jobId,
        status: job.status,
        chunks: page.map((chunk) => chunkOf(chunk, caller.tenantId)),
        next_cursor,
      };
    });
  }

  readJobReceipt(caller: TenantCaller, jobId: string): Promise<ProofReceipt> {
    return this.tenancy.run(caller.tenantId, async () => {
      const job = await this.read(jobId);
      if (job.status === 'failed') throw new ProofJobFailed({ jobId }, job.error ?? undefined);
      if (job.receiptId === null)
        throw new ProofJobUnfinished({ jobId, retryAfterSec: 1 }, `The job is ${job.status}; ask again`);
      return this.receipts.readReceipt(job.receiptId, isOk(job));
    });
  }

  readAnswerReceipt(caller: TenantCaller, answerId: string): Promise<ProofReceipt> {
    return this.tenancy.run(caller.tenantId, async () => {
      const found = await this.answers.findAnswer(answerId);
      if (!found) throw new AnswerUnknown({ answerId }, 'No answer with this answerId is recorded for the tenant');
      return this.receipts.readReceipt(found.answer.receiptId, true);
    });
  }

  async readPack(caller: TenantCaller, receiptId: string, query: PackQuery): Promise<ProofPackFile> {
    const earlier = await this.earlier.read(query.earlier_checkpoint);
    return this.tenancy.run(caller.tenantId, () => this.receipts.readPack(receiptId, earlier));
  }

  private async read(jobId: string): Promise<ProofJob> {
    const job = isUuid(jobId) ? await this.store.find(jobId) : undefined;
    if (!job) throw new ProofJobUnknown({ jobId }, 'Use the jobId that POST /v1/proof/jobs answered to this tenant');
    return job;
  }
}

const NAMED = new Set([
  ...['tenantId', 'agentId', 'mode', 'answerId', 'artefact_id', 'retrievalId', 'idempotencyKey', 'metadata'],
]);

/** Members of the request that this server gives no meaning to. */
const extraOf = (request: ProofRequest): Record<string, unknown> =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !NAMED.has(name)));

const isOk = ({ status, verdict }: ProofJob): boolean =>
  status !== 'failed' && (verdict === 'pending' || verdict === 'holds');

function recordOf(job: ProofJob): ProofJobRecord {
  const chargedMode = job.chargedMode ?? job.mode;
  const self = `/v1/proof/jobs/${job.jobId}`;
  return {
    ok: isOk(job),
    contract: PROOF_CONTRACT,
    jobId: job.jobId,
    status: job.status,
    verdict: job.verdict,
    mode: job.mode,
    agentId: job.agentId,
    chargedMode,
    credits: PROOF_PRICES[chargedMode],
    subject: job.subject,
    checks: job.checks,
    driftCategories: job.drift,
    chunkCount: job.chunkCount,
    receiptId: job.receiptId,
    error: job.error,
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    metadata: job.metadata,
    links: {
      self,
      chunks: `${self}/chunks`,
      receipt: `${self}/receipt`,
      proofpack: job.receiptId === null ? null : `/v1/proof/receipts/${job.receiptId}/proofpack`,
    },
  };
}

function chunkOf(chunk: StoredChunk, tenantId: string): ProofChunk {
  return {
    chunkId: chunk.chunkId,
    corpusId: chunk.corpusId,
    docId: chunk.docId,
    docVersion: chunk.docVersion,
    source: chunk.ownerTenantId === tenantId ? 'tenant' : 'commons',
    title: chunk.title ?? null,
    url: chunk.url ?? null,
    contentHash: chunk.contentHash,
    content: chunk.content,
    quote: chunk.quote,
    recordedRank: chunk.recordedRank,
    rank: chunk.rank,
    score: chunk.score,
    checks: chunk.checks,
  };
}
