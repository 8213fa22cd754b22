import { inverseDocumentFrequency, K1 } from './bm25.js';
import { countsOf } from './counts.js';
import type { PostingList, Tombstones } from './postings.js';
import type { Segment } from './segment.js';

/** A term of the query. An original term's score goes to `lexical`, an expansion term's to `laneWeight`. */
export interface QueryTerm {
  term: string;
  weight: number;
  expansion: boolean;
}

/** A segment as one search sees it. `postings` holds the list of every query term the segment has. */
export interface SegmentView {
  readonly segment: Segment;
  readonly tombstones: Tombstones | undefined;
  readonly postings: ReadonlyMap<string, PostingList>;
  /** What a chunk's score is multiplied by, from 0 to 1: so no bound on scores is passed. 1 without it. */
  readonly factorOf?: (ordinal: number) => number;
}

/**
 * One chunk that was found. `score` = ((lexical + vector) + recency) + laneWeight, times the factor of its view if it
 * has one; a search by words leaves `vector` 0.
 */
export interface Hit {
  view: SegmentView;
  ordinal: number;
  chunkId: string;
  score: number;
  lexical: number;
  vector: number;
  recency: number;
  laneWeight: number;
}

/**
 * A query bound to the statistics of a collection: term weights are those of the whole collection, whichever segment is
 * read.
 */
export interface BoundQuery {
  readonly terms: readonly string[];
  /** qtf * idf * (k1 + 1) by term. */
  readonly weights: Float64Array;
  /** Terms before this index are original, those from it on expansion. */
  readonly originals: number;
  /** Original terms, those that no live chunk has included, and what all of them weigh. */
  readonly askedTerms: number;
  readonly asked: number;
  readonly chunkCount: number;
  readonly averageLength: number;
  readonly today: number;
}

/** Counts repeated terms into weights, in the canonical order: ascending UTF-16. */
export function queryTerms(terms: readonly string[]): QueryTerm[] {
  return [...countsOf(terms)].map(([term, weight]) => ({ term, weight, expansion: false })).sort(canonically);
}

/** Original terms before expansion terms, each in ascending UTF-16 order: floating-point sums depend on the order. */
function canonically(a: QueryTerm, b: QueryTerm): number {
  if (a.expansion !== b.expansion) return a.expansion ? 1 : -1;
  return a.term < b.term ? -1 : a.term > b.term ? 1 : 0;
}

/** Live chunks of a collection and their mean length in terms. */
export interface CollectionStatistics {
  chunkCount: number;
  averageLength: number;
}

/** Of all segments, without their withdrawn chunks; zeros where there are none. */
export function collectionStatistics(views: readonly SegmentView[]): CollectionStatistics {
  let chunkCount = 0;
  let totalLength = 0;
  for (const { segment, tombstones } of views) {
    chunkCount += segment.chunkCount - (tombstones?.count ?? 0);
    totalLength += segment.totalLength - (tombstones?.length ?? 0);
  }
  return { chunkCount, averageLength: chunkCount > 0 ? totalLength / chunkCount : 0 };
}

/**
 * Live chunks that have the term. Its postings have to be open only where chunks were withdrawn: elsewhere the header
 * says it.
 */
export function chunkFrequency(views: readonly SegmentView[], term: string): number {
  let count = 0;
  for (const { segment, postings, tombstones } of views)
    count += postings.get(term)?.liveCount(tombstones) ?? (tombstones ? 0 : segment.frequencyOf(term));
  return count;
}

/**
 * Binds a query to a collection. N, df and the average length count live chunks only and are sums of whole numbers, so
 * they do not depend on how the chunks are spread over segments. Terms no live chunk has are left out.
 */
export function bindQuery(views: readonly SegmentView[], query: readonly QueryTerm[], today: number): BoundQuery {
  const { chunkCount, averageLength } = collectionStatistics(views);
  const terms: string[] = [];
  const weights: number[] = [];
  let originals = 0;
  let askedTerms = 0;
  let asked = 0;
  for (const { term, weight, expansion } of [...query].sort(canonically)) {
    const frequency = chunkFrequency(views, term);
    const rarity = frequency > 0 ? inverseDocumentFrequency(chunkCount, frequency) : rarityOfAbsent(chunkCount);
    const bound = weight * rarity * (K1 + 1);
    if (!expansion) {
      askedTerms++;
      asked += bound;
    }
    if (frequency === 0) continue;
    terms.push(term);
    weights.push(bound);
    if (!expansion) originals++;
  }
  return { terms, weights: Float64Array.from(weights), originals, askedTerms, asked, chunkCount, averageLength, today };
}

/** How much rarer a term that no chunk has may be than one of a single chunk: as much as in ten chunks. */
const MAX_ABSENT = inverseDocumentFrequency(10, 0) / inverseDocumentFrequency(10, 1);

/** In a few chunks a term that is in one of them hardly counts as rare; one that is in none must not outweigh it. */
function rarityOfAbsent(chunks: number): number {
  return Math.min(inverseDocumentFrequency(chunks, 0), MAX_ABSENT * inverseDocumentFrequency(chunks, 1));
}

/** The greatest chunk length, in terms. */
export function longestOf(views: readonly SegmentView[]): number {
  let longest = 0;
  for (const { segment } of views) longest = Math.max(longest, segment.longest);
  return longest;
}
