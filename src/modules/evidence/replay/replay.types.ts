import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import { SOURCE_STATES, type PassageNow } from '../../knowledge/citations/source-states.types.js';

/**
 * Whether the answer still holds, as the worst of its passages has it; broken: what is recorded is not what was signed.
 */
export const OVERALL = [...SOURCE_STATES, 'broken'] as const;
export type Overall = (typeof OVERALL)[number];

/** A version of an answer, and the newest there is. */
export interface ReplayedAnswer {
  asked: CitedAnswer;
  newest: CitedAnswer;
}

/** What has become of a cited passage. */
export interface PlacedPassage extends PassageNow {
  /** Places in the search behind the answer, from 1: then, and when it is done again. */
  recordedRank: number | null;
  rank: number | null;
  /** Whether the text in the index has the digest that was recorded; null where it is not there to be looked at. */
  isSourceIntact: boolean | null;
}
