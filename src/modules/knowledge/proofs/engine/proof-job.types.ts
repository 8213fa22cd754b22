import type { Digest } from '../../../../evidence/digest.js';
import type { RecordedSearch } from '../../citations/citations.types.js';
import type { JobStatus, ProofMode, SubjectType, Verdict } from '../proofs.types.js';

export interface Subject {
  type: SubjectType;
  id: string;
  version: number | null;
}

/** What the subject stood for when the job was made. */
export type Target =
  | { type: 'answer'; answerId: string; version: number }
  | { type: 'document'; corpusId: string; docId: string; version: number }
  | { type: 'chunk'; chunk: ExpectedChunk }
  | { type: 'retrieval'; search: RecordedSearch };

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

/** A passage as the subject has it: what is held against the passage of today. */
export interface ExpectedChunk {
  chunkId: string;
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  docVersion: number;
  title: string | null;
  url: string | null;
  contentHash: Digest;
  quote: string | null;
  /** From 1. */
  recordedRank: number | null;
}

/** Everything a subject rests on. */
export interface Grounds {
  chunks: ExpectedChunk[];
  search: RecordedSearch | null;
  /** Execution and retrieval receipts. */
  receiptIds: string[];
}

/** A passage after its checks. `content` is null where the tenant may not see it. */
export interface CheckedChunk extends ExpectedChunk {
  content: string | null;
  rank: number | null;
  score: number | null;
  checks: Check[];
}

export interface Findings {
  chunks: CheckedChunk[];
  /** Each check over all passages, then those that are not about one passage. */
  checks: Check[];
  verdict: Exclude<Verdict, 'pending'>;
}

export interface ProofJob {
  jobId: string;
  agentId: string;
  mode: ProofMode;
  subject: Subject;
  target: Target;
  metadata: Record<string, unknown> | null;
  status: JobStatus;
  verdict: Verdict;
  checks: Check[];
  /** Receipts the proof rests on. */
  reliesOn: string[];
  chunkCount: number | null;
  receiptId: string | null;
  error: string | null;
  requestedBy: string;
  authMode: string;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** What the queue carries. */
export interface ProofTask {
  tenantId: string;
  jobId: string;
}
