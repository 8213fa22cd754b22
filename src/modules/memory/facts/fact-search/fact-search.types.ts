import type { Fit } from '../../../../search/fit.types.js';

/**
 * What is searched for. Entities under reserved prefixes are among it only when `entity` or `entityPrefix` names them.
 */
export interface RankedSearch {
  query: string;
  /** How many facts are wanted at most. */
  limit: number;
  /** Whether to look for related words too. */
  synonyms?: boolean | undefined;
  /** Rank only facts that are neither superseded nor deleted; false for `as_of`, which looks among all versions. */
  onlyCurrent: boolean;
  /** Narrow what is ranked. `fetch` must hold to them too. */
  entity?: string | undefined;
  entityPrefix?: string | undefined;
}

/** What `fetch` must give of a fact at least. */
export interface FetchedFact {
  /** As PostgreSQL gives a bigint. */
  seq: string;
}

/**
 * Reads the facts among these that the caller may see and that pass every filter of the request (current or as_of,
 * entity, entity_prefix, min_effective_confidence, not deleted), in any order. Called again with later candidates until
 * `limit` have passed or none are left.
 */
export type FetchFacts<Fact extends FetchedFact> = (seqs: readonly number[]) => Promise<Fact[]>;

export interface RankedFact<Fact extends FetchedFact> {
  fact: Fact;
  /** (BM25 + vector + recency) * effective confidence; see docs/decisions/0093 and 0200. */
  score: number;
  /** Before they are multiplied. */
  parts: { lexical: number; vector: number; recency: number };
  /** Whether it answers the query; docs/decisions/0313. */
  fit: Fit;
}
