import { Injectable } from '@nestjs/common';
import { digestBytes, namedDigest } from '../../../../evidence/digest.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { SubjectType } from '../proofs.types.js';
import type { Check, CheckedChunk, Findings, ProofJob } from './proof-job.types.js';

export type NewProofJob = Pick<
  ProofJob,
  'jobId' | 'agentId' | 'mode' | 'chargedMode' | 'subject' | 'target' | 'metadata' | 'requestedBy' | 'authMode'
> & { extra: Record<string, unknown> };

export type StoredChunk = Omit<CheckedChunk, 'state' | 'drift'> & { ordinal: number };

/** Proof jobs and the passages they checked. */
@Injectable()
export class ProofJobsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async record(job: NewProofJob): Promise<ProofJob> {
    const [row] = await this.tenancy.query<JobRow>(
      `insert into proof_job (tenant_id, job_id, agent_id, mode, subject_type, subject_id, subject_version, target, metadata, extra, requested_by, auth_mode, charged_mode)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning *`,
      [
        this.tenancy.tenant,
        job.jobId,
        job.agentId,
        job.mode,
        job.subject.type,
        job.subject.id,
        job.subject.version,
        JSON.stringify(job.target),
        job.metadata && JSON.stringify(job.metadata),
        JSON.stringify(job.extra),
        job.requestedBy,
        job.authMode,
        job.chargedMode,
      ],
    );
    return jobOf(row!);
  }

  /** With `lock`, other transactions on the job wait until the unit of work ends. */
  async find(jobId: string, lock = false): Promise<ProofJob | undefined> {
    const [row] = await this.tenancy.query<JobRow>(
      `select * from proof_job where job_id = $1 ${lock ? 'for update' : ''}`,
      [jobId],
    );
    return row && jobOf(row);
  }

  async findByReceipt(receiptId: string): Promise<ProofJob | undefined> {
    const [row] = await this.tenancy.query<JobRow>('select * from proof_job where receipt_id = $1', [receiptId]);
    return row && jobOf(row);
  }

  /** The newest job of a subject, whatever its version was. */
  async findNewest(type: SubjectType, id: string): Promise<ProofJob | undefined> {
    const [row] = await this.tenancy.query<JobRow>(
      `select * from proof_job where tenant_id = $1 and subject_type = $2 and md5(subject_id) = md5($3) and subject_id = $3
       order by created_at desc, job_id desc limit 1`,
      [this.tenancy.tenant, type, id],
    );
    return row && jobOf(row);
  }

  async markRunning(jobId: string): Promise<void> {
    await this.tenancy.query(
      `update proof_job set status = 'running', started_at = coalesce(started_at, now()) where job_id = $1 and status = 'queued'`,
      [jobId],
    );
  }

  /** @returns false when the job had ended before */
  async markFailed(jobId: string, error: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update proof_job set status = 'failed', error = $2, finished_at = now() where job_id = $1 and status in ('queued', 'running') returning 1`,
      [jobId, error],
    );
    return rows.length > 0;
  }

  async complete(
    jobId: string,
    { verdict, checks, chunks, drift }: Findings,
    reliesOn: string[],
    receiptId: string,
  ): Promise<void> {
    await this.recordChunks(jobId, chunks);
    await this.tenancy.query(
      `update proof_job set status = 'completed', verdict = $2, checks = $3, relies_on = $4, chunk_count = $5, receipt_id = $6, drift_categories = $7,
         finished_at = clock_timestamp() where job_id = $1`,
      [jobId, verdict, JSON.stringify(checks), JSON.stringify(reliesOn), chunks.length, receiptId, drift],
    );
  }

  private async recordChunks(jobId: string, chunks: readonly CheckedChunk[]): Promise<void> {
    const rows = chunks.map((chunk, ordinal) => ({
      ...chunk,
      ordinal,
      contentHash: `\\x${Buffer.from(digestBytes('blake3', chunk.contentHash)).toString('hex')}`,
    }));
    await this.tenancy.query(
      `insert into proof_job_chunk (tenant_id, job_id, ordinal, chunk_id, owner_tenant_id, corpus_id, doc_id, doc_version, title, url, content,
         content_hash, quote, recorded_rank, rank, score, checks)
       select $1, $2, c.* from json_to_recordset($3::json) as c (ordinal int, "chunkId" text, "ownerTenantId" text, "corpusId" text, "docId" text,
         "docVersion" int, title text, url text, content text, "contentHash" bytea, quote text, "recordedRank" int, rank int, score float8, checks jsonb)`,
      [this.tenancy.tenant, jobId, JSON.stringify(rows)],
    );
  }

  /** The passages of a completed job after the ordinal, in order. */
  async findChunks(jobId: string, after: number, limit: number | null): Promise<StoredChunk[]> {
    const rows = await this.tenancy.query<ChunkRow>(
      'select * from proof_job_chunk where job_id = $1 and ordinal > $2::float8 order by ordinal limit $3',
      [jobId, after, limit],
    );
    return rows.map(chunkOf);
  }
}

interface JobRow {
  job_id: string;
  agent_id: string;
  mode: ProofJob['mode'];
  subject_type: ProofJob['subject']['type'];
  subject_id: string;
  subject_version: number | null;
  target: ProofJob['target'];
  metadata: Record<string, unknown> | null;
  status: ProofJob['status'];
  verdict: ProofJob['verdict'];
  checks: StoredCheck[];
  drift_categories: ProofJob['drift'];
  charged_mode: ProofJob['chargedMode'];
  relies_on: string[];
  chunk_count: number | null;
  receipt_id: string | null;
  error: string | null;
  requested_by: string;
  auth_mode: string;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

interface ChunkRow {
  ordinal: number;
  chunk_id: string;
  owner_tenant_id: string;
  corpus_id: string;
  doc_id: string;
  doc_version: number;
  title: string | null;
  url: string | null;
  content: string | null;
  content_hash: Buffer;
  quote: string | null;
  recorded_rank: number | null;
  rank: number | null;
  score: number | null;
  checks: StoredCheck[];
}

/** Before, a check had no result. */
type StoredCheck = Omit<Check, 'result'> & Partial<Pick<Check, 'result'>>;

const checkOf = (check: StoredCheck): Check => ({ result: check.ok ? 'ok' : 'failed', ...check });

const jobOf = (row: JobRow): ProofJob => ({
  jobId: row.job_id,
  agentId: row.agent_id,
  mode: row.mode,
  subject: { type: row.subject_type, id: row.subject_id, version: row.subject_version },
  target: row.target,
  metadata: row.metadata,
  status: row.status,
  verdict: row.verdict,
  checks: row.checks.map(checkOf),
  drift: row.drift_categories,
  chargedMode: row.charged_mode,
  reliesOn: row.relies_on,
  chunkCount: row.chunk_count,
  receiptId: row.receipt_id,
  error: row.error,
  requestedBy: row.requested_by,
  authMode: row.auth_mode,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});

const chunkOf = (row: ChunkRow): StoredChunk => ({
  ordinal: row.ordinal,
  chunkId: row.chunk_id,
  ownerTenantId: row.owner_tenant_id,
  corpusId: row.corpus_id,
  docId: row.doc_id,
  docVersion: row.doc_version,
  title: row.title,
  url: row.url,
  content: row.content,
  contentHash: namedDigest('blake3', row.content_hash),
  quote: row.quote,
  recordedRank: row.recorded_rank,
  rank: row.rank,
  score: row.score,
  checks: row.checks.map(checkOf),
});
