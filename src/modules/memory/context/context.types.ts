export const CONTEXT_KINDS = ['facts', 'cases', 'engrams', 'layers', 'work', 'passages'] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];

/** Where a passage stands, with all that a citation of it needs. */
interface PassageCitation {
  chunk_id: string;
  corpus_id: string;
  doc_id: string;
  doc_version: number;
  content_hash: string;
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
  citation?: PassageCitation;
}

export interface CountedCandidate extends Candidate {
  tokens: number;
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
