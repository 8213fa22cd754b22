import type { Verdict } from '../../knowledge/proofs/proofs.types.js';

/** What may be watched. `artefact` is another writing of `artifact`. */
export const TARGET_TYPES = ['answer', 'artifact', 'document', 'query'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];
/** What an artifact turns out to be: proofs know the same three (artefact_id). */
export type ResolvedType = 'answer' | 'chunk' | 'document' | 'query';

export const CHANGES = ['new_version', 'deleted', 'drifted', 'new_match'] as const;
export type Change = (typeof CHANGES)[number];

/** Verdicts of a proof that did not hold. */
export const FAULTY_VERDICTS = ['unknown', 'drifted', 'unavailable', 'broken'] as const satisfies readonly Verdict[];
export type FaultyVerdict = (typeof FAULTY_VERDICTS)[number];

/** A watched question: a passage that is new among its best results is reported. */
export interface WatchedQuery {
  query: string;
  corpusIds: string[];
  includeCommons: boolean;
  limit: number;
  minScore: number | null;
}

export interface AlertedPassage {
  chunkId: string;
  corpusId: string;
  docId: string;
  version: number;
  /** `blake3:<hex>` */
  contentHash: string;
  title?: string | null;
  url?: string | null;
  score?: number;
}

/** What has changed. */
export interface Alert {
  /** The event that brought the change. */
  eventId: string;
  occurredAt: Date;
  change: Change;
  corpusId: string | null;
  docId: string | null;
  from: number | null;
  to: number | null;
  /** The first of them. */
  passages: AlertedPassage[];
  passageCount: number;
  proofJobId: string | null;
  /** Of that proof. */
  verdict: FaultyVerdict | null;
}

/** What the queue carries to an evaluation: events, by owner and id. */
export interface EvaluationTask {
  tenantId: string;
  events: [string, string][];
}
