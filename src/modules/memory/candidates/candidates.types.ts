export const PROFILES = ['default', 'decisions', 'preferences', 'tasks', 'profile'] as const;
/** What is looked for in a text; `default` is all of it. */
export type Profile = (typeof PROFILES)[number];

/** The profile of what consolidation puts forward. */
export const CONSOLIDATION = 'consolidation';

export const CANDIDATE_STATUSES = ['pending', 'promoted', 'rejected', 'superseded', 'expired'] as const;
export type CandidateStatus = (typeof CANDIDATE_STATUSES)[number];

export const RESOLUTIONS = ['new', 'duplicate', 'conflict'] as const;
/** How a candidate stands to what is there: facts, pending candidates, and those of the same text. */
export type Resolution = (typeof RESOLUTIONS)[number];

export const CANDIDATE_ACTIONS = ['store', 'retire'] as const;
/** What a promotion does: stores the value as a fact, or retires a fact. */
export type CandidateAction = (typeof CANDIDATE_ACTIONS)[number];

export const SOURCE_KINDS = ['text', 'fact'] as const;

/** What a candidate rests on: an exact part of a text, secrets masked. */
export interface Evidence {
  source_kind: (typeof SOURCE_KINDS)[number];
  /** The extraction that was given the text, or the fact. */
  source_id: string;
  /** In UTF-16 units of the text as it was sent. */
  start: number;
  end: number;
  quote: string;
  quote_blake3: string;
}

/** A secret that was masked: its place in the text as it was sent. */
export interface ScreenedSpan {
  kind: string;
  start: number;
  end: number;
}

/** Who found a candidate. */
export interface Extractor {
  name: string;
  version: string;
  /** The pattern. */
  pattern?: string;
  model?: string;
  prompt_hash?: string;
}

/** How an extraction went. */
export interface ExtractionCounts {
  extracted: number;
  written: number;
  skipped_existing: number;
  /** What a model proposed and the text does not say. */
  dropped: number;
  /** What was found past the bound of one extraction. */
  left_out: number;
  /** Why a model had no part in it, where one is configured. */
  note: string | null;
}
