import { inverseDocumentFrequency } from './bm25.js';
import type { CollectionStatistics, QueryTerm } from './collection.js';
import { countsOf } from './counts.js';
import { hashOfUnits } from './table-hash.js';

/** The words of a passage. */
export interface PassageTerms {
  /** Each once. */
  terms: readonly string[];
  /** How often each of them occurs. */
  counts: readonly number[];
  /** By their hashes, each in one of BUCKETS. */
  buckets: Uint16Array;
  /** How many words the passage has. */
  length: number;
}

/** A passage the query found first, the only one of its document, with what it is weighed by. */
export interface FeedbackPassage extends PassageTerms {
  /** Its BM25 score for the query. */
  score: number;
}

/** A word that may be added, by how much the feedback passages are about it. */
export interface FeedbackTerm {
  term: string;
  weight: number;
}

/**
 * How many passages are read: the best one each of the first documents. With fewer there is too little to learn from.
 */
export const FEEDBACK_PASSAGES = 10;
/** Among how many of the best passages they are looked for. */
export const FEEDBACK_REACH = 20;
/** A word must be in passages of this many documents: what one document dwells on is not what the query is about. */
const AGREEING_DOCUMENTS = 3;
/** Words are counted by so many hashes before they are counted by themselves. A power of two. */
const BUCKETS = 1 << 13;
/** Words whose frequency is looked up. */
const CANDIDATES = 60;
/** Words that are added at most, and their weight together relative to the query's. */
const ADDED_TERMS = 20;
const ADDED_WEIGHT = 0.1;
/** A word in more than this share of the chunks says nothing. */
const COMMON_SHARE = 0.1;
/** When the first passage has this share of the query, by idf, the query has found its words and is left alone. */
const ANSWERED_SHARE = 0.8;

/** Counts the words of a passage. */
export function passageTerms(words: readonly string[]): PassageTerms {
  const counts = countsOf(words);
  const terms = [...counts.keys()];
  const buckets = Uint16Array.from(terms, (term) => hashOfUnits(term, 0, term.length) & (BUCKETS - 1));
  return { terms, counts: [...counts.values()], buckets, length: words.length };
}

/**
 * The words the feedback passages agree on, by the relevance model RM1 (Lavrenko and Croft 2001): the mean of a word's
 * share in each passage, weighted by the passage's score.
 */
export function feedbackTerms(query: readonly QueryTerm[], passages: readonly FeedbackPassage[]): FeedbackTerm[] {
  if (passages.length < FEEDBACK_PASSAGES) return [];
  const asked = new Set(query.map(({ term }) => term));
  const total = passages.reduce((sum, { score }) => sum + score, 0);
  const agreeing = countDocuments(passages);
  const weights = new Map<string, number>();
  const documents = new Map<string, number>();
  for (const { terms, counts, buckets, length, score } of passages) {
    const share = score / total / length;
    for (let place = 0; place < terms.length; place++) {
      // Of a thousand different words some ten are of enough documents. The others cost one look at an array each.
      if (agreeing[buckets[place]!]! < AGREEING_DOCUMENTS) continue;
      const term = terms[place]!;
      let weight = weights.get(term) ?? 0;
      // One by one: the sum differs from a product in its last digits, and recorded scores are repeated exactly.
      for (let times = counts[place]!; times > 0; times--) weight += share;
      weights.set(term, weight);
      documents.set(term, (documents.get(term) ?? 0) + 1);
    }
  }
  const candidates: FeedbackTerm[] = [];
  for (const [term, weight] of weights)
    if (documents.get(term)! >= AGREEING_DOCUMENTS && !asked.has(term) && isWord(term))
      candidates.push({ term, weight });
  return candidates.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, CANDIDATES);
}

/** Of each bucket how many passages have a word in it: at least as many as have any one of its words. */
function countDocuments(passages: readonly PassageTerms[]): Uint8Array {
  const documents = new Uint8Array(BUCKETS);
  for (const { buckets } of passages) for (const bucket of buckets) documents[bucket]!++;
  return documents;
}

/**
 * The terms to add to the query, none when it is better left alone (RM3 of Abdul-Jaleel et al. 2004, kept short and
 * light). What was tried and measured is in docs/decisions/0011-query-expansion.md.
 * @param candidates {@link feedbackTerms} of these passages
 * @param frequencyOf live chunks with a term, exact
 */
export function expand(
  query: readonly QueryTerm[],
  { passages, candidates }: { passages: readonly FeedbackPassage[]; candidates: readonly FeedbackTerm[] },
  { chunkCount }: CollectionStatistics,
  frequencyOf: (term: string) => number,
): QueryTerm[] {
  const rarity = (frequency: number) => inverseDocumentFrequency(chunkCount, frequency);
  const idf = (term: string) => rarity(frequencyOf(term));
  const first = new Set(passages[0]?.terms);
  const mass = sumOf(query, ({ term, weight }) => weight * idf(term));
  const covered = sumOf(query, ({ term, weight }) => (first.has(term) ? weight * idf(term) : 0));
  if (covered >= mass * ANSWERED_SHARE) return [];
  const added = candidates
    .map((candidate) => ({ ...candidate, frequency: frequencyOf(candidate.term) }))
    .filter(({ frequency }) => frequency < chunkCount * COMMON_SHARE)
    .map(({ term, weight, frequency }) => ({ term, weight, value: weight * rarity(frequency) }))
    .sort((a, b) => b.value - a.value || (a.term < b.term ? -1 : 1))
    .slice(0, ADDED_TERMS);
  const scale = (ADDED_WEIGHT * sumOf(query, ({ weight }) => weight)) / sumOf(added, ({ weight }) => weight);
  return added.map(({ term, weight }) => ({ term, weight: weight * scale, expansion: true }));
}

function isWord(term: string): boolean {
  return term.length > 2 && !/^\d+$/.test(term);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
