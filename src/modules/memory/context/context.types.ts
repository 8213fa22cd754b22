export const CONTEXT_KINDS = ['facts', 'cases', 'engrams', 'layers', 'work', 'passages'] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];

/** A stretch of a text, in UTF-16 units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Where a passage stands. A citation of it takes its id, and may take a span. */
interface PassagePlace {
  corpus_id: string;
  doc_id: string;
  doc_version: number;
  title: string | null;
  url: string | null;
}

/** A whole item that may become part of a context. */
export interface Candidate {
  kind: ContextKind;
  id: string;
  /** What it is in this version: its digest, or that of its text. */
  hash: string;
  text: string;
  /** How well it fits the task, among those of its kind; comparable with no other kind's. */
  score: number;
  why: string;
  citation?: PassagePlace;
  /** Where parts of it may be taken without the rest: all there are, in their order. */
  pieces?: readonly Piece[];
}

/** A part of an item that says something by itself. */
interface Piece extends Span {
  /** From 0 to 1, among the pieces of all items of the kind. */
  worth: number;
}

export interface CountedPiece extends Piece {
  tokens: number;
}

export interface CountedCandidate extends Candidate {
  tokens: number;
  pieces?: readonly CountedPiece[];
}

/** What is in a context of an item. */
export interface ChosenItem extends Omit<CountedCandidate, 'pieces'> {
  /** The stretches of it that the text has; absent where it has the whole. */
  spans?: readonly Span[];
}

export const OMISSIONS = ['budget', 'duplicate', 'not_whole', 'unknown'] as const;
export type Omission = (typeof OMISSIONS)[number];

/** What is not in a context, and why. Without an id: a whole kind. */
export interface OmittedItem {
  kind: ContextKind;
  id?: string;
  tokens?: number;
  reason: Omission;
  detail: string;
}

/** What was found, before it is chosen from. */
export interface Gathered {
  candidates: Candidate[];
  omitted: OmittedItem[];
}

/** An assembly with all that is known of it; what a caller is shown of it is made of this. */
export interface WholeContext {
  items: readonly ChosenItem[];
  omitted: readonly OmittedItem[];
  hash: string;
  isCached: boolean;
  assembledAt: Date;
}
