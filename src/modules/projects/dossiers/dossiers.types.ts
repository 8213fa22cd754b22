import type { SourceState } from '../../knowledge/citations/source-states.types.js';

/** What a claim can rest on. A layer is a fact too, under an entity of its own. */
export const ANCHOR_KINDS = ['fact', 'layer', 'chunk', 'receipt', 'work'] as const;
export type AnchorKind = (typeof ANCHOR_KINDS)[number];

/**
 * Where a claim rests. Offsets are UTF-16 code units of the text of what is named (value of a fact, content of a
 * passage, title and body of a work item with an empty line between); `end` is exclusive. Null, null: the whole of it.
 */
export interface Anchor {
  kind: AnchorKind;
  id: string;
  start: number | null;
  end: number | null;
  /** Digest of the words there; null: the claim rests on what is named, whatever it says. */
  quote_blake3: string | null;
}

/** From best to worst. */
export const CLAIM_STATES = ['supported', 'contradicted', 'stale', 'unsupported'] as const;
export type ClaimState = (typeof CLAIM_STATES)[number];

/** A claim as it was published. */
export interface StoredClaim {
  claim_id: string;
  text: string;
  confidence: number | null;
}

export interface Claim extends StoredClaim {
  anchors: Anchor[];
}

export interface Contradiction {
  /** Claims of the dossier. */
  a: string;
  b: string;
  why: string;
}

export interface Uncertainty {
  claim_id: string;
  reason: string;
}

/** What the author had read, and until when. */
export interface BasedOn {
  facts: string[];
  receipts: string[];
  chunks: string[];
  as_of_unix_ms: number;
}

/** What an anchor names, as the database has it now. */
export interface Anchored {
  /** `holds`; `drifted`: superseded or another text; `unavailable`: retired, deleted, set aside, not to be seen. */
  state: SourceState;
  /** Undefined of what has none. */
  text?: string;
  /** The fact that superseded it. */
  successor?: string;
  /** Current facts of the same entity and key that say something else. */
  rivals: string[];
  /** What it is about: entity and key, document, work item, receipt. */
  subject: string;
  /** Digest of what a fact says: by it two claims about the same subject are compared. */
  value?: string;
}

/** An anchor, and what became of what it names. */
export interface AnchorNow extends Anchor {
  state: SourceState;
  /** Undefined while it holds and nothing says otherwise. */
  why?: string;
  successor?: string;
  rivals: string[];
  subject: string;
  value?: string;
}

/** A claim as it stands now. */
export interface ClaimNow extends StoredClaim {
  anchors: AnchorNow[];
  state: ClaimState;
  /** Undefined of one that is supported. */
  why?: string;
}

/** Of the newest dossier of each agent, which are compared. */
export const MAX_AGENTS = 20;

/** Who made a dossier: an agent, or the server. */
export const DOSSIER_ORIGINS = ['published', 'auto'] as const;
export type DossierOrigin = (typeof DOSSIER_ORIGINS)[number];

export const AGREEMENTS = ['agree', 'contradict', 'only_one'] as const;
export type Agreement = (typeof AGREEMENTS)[number];
