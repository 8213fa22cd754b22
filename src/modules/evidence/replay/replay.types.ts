import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';

/** How what was cited differs now from what it was then. */
export const DRIFT_CATEGORIES = ['source_changed', 'source_deleted', 're_ranked', 'access_lost'] as const;
export type DriftCategory = (typeof DRIFT_CATEGORIES)[number];

/** Whether a cited passage still stands in its document, and if not, why. */
export const PASSAGE_STATES = ['stands', 'source_changed', 'source_deleted', 'access_lost'] as const;
export type PassageState = (typeof PASSAGE_STATES)[number];

/**
 * Valid: nothing has moved on. Drifted: what is recorded is intact, and something has. Broken: what is recorded is not
 * what was signed.
 */
export const OVERALL = ['valid', 'drifted', 'broken'] as const;
export type Overall = (typeof OVERALL)[number];

/** A version of an answer, and the newest there is. */
export interface ReplayedAnswer {
  asked: CitedAnswer;
  newest: CitedAnswer;
}

/** How far the evidence of a version holds. */
export interface Attestation {
  /** The result of checking the receipt again: OK, or the first thing that is wrong. */
  receiptCheck: string;
  /** Whether the rows are what the receipt attests. */
  isAsAttested: boolean;
}

/** Where a cited passage stands now. */
export interface PlacedPassage {
  state: PassageState;
  /** The version of its document that the tenant sees now. */
  currentVersion: number | null;
  /** Places in the search behind the answer, from 1: then, and when it is done again. */
  recordedRank: number | null;
  rank: number | null;
  /**
   * Whether the text in the index still has the digest that was recorded; null where it is not there to be looked at.
   */
  isSourceIntact: boolean | null;
}
