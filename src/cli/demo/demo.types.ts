import type { Lane, ProofJobReply, RetrievedPassage } from '../../common/client/api-replies.js';
import type { LeftOut } from '../ingest/sources.types.js';
import type { VerificationCheck } from '../../evidence/verification-check.js';

interface QuestionReport {
  lane: Lane;
  query: string;
  tookMs: number;
  results: {
    chunkId: string;
    docId: string;
    score: number;
    parts: RetrievedPassage['scoreComponents'];
    addsUp: boolean;
  }[];
}

/** What `svc demo --json` prints. `ok`: the proof holds, the pack verifies, and the altered pack is refused. */
export interface DemoReport {
  ok: boolean;
  server: string;
  documents: number;
  /** What of the folder was not ingested, and why. */
  leftOut: LeftOut[];
  questions: QuestionReport[];
  answer: AnswerReport;
  proof: ProofReport;
  pack: { file: string; bytes: number; verified: boolean; checks: readonly VerificationCheck[] };
  flipped: { offset: number; from: number; to: number; refused: boolean; failed: VerificationCheck | null };
}

export interface Asked {
  report: QuestionReport;
  passages: RetrievedPassage[];
}

export interface AnswerReport {
  answerId: string;
  receiptId: string;
  citations: { chunkId: string; quote: string }[];
}

export type ProofReport = Pick<ProofJobReply, 'jobId' | 'mode' | 'verdict' | 'checks'> & { receiptId: string };
