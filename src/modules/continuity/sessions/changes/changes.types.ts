import type { ProofMode, SubjectType, Verdict } from '../../../knowledge/proofs/proofs.types.js';
import type { AlertPassage } from '../../watches/watch-alerts.dto.js';

/** Where a change stands in the list, and what it is. */
export interface FoundChange {
  /** Microseconds since 1970: when it was written down. */
  at: number;
  type: 'alert' | 'answer' | 'proof';
  id: string;
  /** Of an alert its watch. */
  watchId: string | null;
  answer: { answerId: string; version: number; receiptId: string } | null;
  proof: FoundProof | null;
}

interface FoundProof {
  jobId: string;
  status: 'completed' | 'failed';
  verdict: Verdict;
  mode: ProofMode;
  subject: { type: SubjectType; id: string; version: number | null };
  receiptId: string | null;
}

/** Last change of the page before: at, type, id. */
export type ChangePosition = [number, string, string];

/** A passage of which a proof found that it does not hold, by its job. */
export type FailedPassage = Pick<AlertPassage, 'chunkId' | 'corpusId' | 'docId' | 'title' | 'url'> & { jobId: string };
