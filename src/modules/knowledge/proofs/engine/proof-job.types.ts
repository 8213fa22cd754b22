import type { Digest } from '../../../../evidence/digest.js';
import type { RecordedSearch, VisibleChunk } from '../../citations/citations.types.js';
import type { DriftCategory, PassageNow, SourceState } from '../../citations/source-states.types.js';
import type { ContentFinding } from '../../ingest/content.types.js';
import type { CheckResult, JobStatus, ProofMode, SubjectType, Verdict } from '../proofs.types.js';

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

/** `ok` is false when it failed. `detail` of one that does not apply says why. */
export interface Check {
  name: string;
  ok: boolean;
  result: CheckResult;
  detail: string;
}

/** What is there now in place of an expected passage. */
export interface FoundChunk {
  now: PassageNow;
  /** The recorded passage itself, where the tenant still sees it. */
  recorded: VisibleChunk | undefined;
  /** Whether the expected text is what was ingested. */
  content: ContentFinding;
  /** When the tenant was entitled to its corpus; null where it is not. */
  entitledAt: Date | null;
  /** Its place when the recorded search was done again; null where it has none. */
  place: { rank: number; score: number } | null;
}

/** A passage as the subject has it: what is held against the passage of today. */
export interface ExpectedChunk {
  chunkId: string;
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  docVersion: number;
  /** Undefined where they were not recorded. */
  title?: string | null;
  url?: string | null;
  contentHash: Digest;
  quote: string | null;
  /** Who could see it then, where that was recorded. */
  shareability?: VisibleChunk['shareability'];
  /** From 1. */
  recordedRank: number | null;
}

/** Everything a subject rests on. */
export interface Grounds {
  chunks: ExpectedChunk[];
  /** What was answered; null of other subjects, and where it was not recorded. */
  answerText: string | null;
  search: RecordedSearch | null;
  /** Execution and retrieval receipts. */
  receiptIds: string[];
}

/** A passage after its checks. `content` is null where the tenant may not see it. */
export interface CheckedChunk extends ExpectedChunk {
  content: string | null;
  rank: number | null;
  score: number | null;
  state: SourceState;
  drift: DriftCategory[];
  checks: Check[];
}

export interface Findings {
  chunks: CheckedChunk[];
  /** Each check over all passages, then those that are not about one passage. */
  checks: Check[];
  verdict: Exclude<Verdict, 'pending'>;
  drift: DriftCategory[];
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
  drift: DriftCategory[];
  /** The mode whose price was charged; null of jobs that were made before it was kept. */
  chargedMode: ProofMode | null;
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
