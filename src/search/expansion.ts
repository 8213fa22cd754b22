import { inverseDocumentFrequency } from './bm25.js';
import { type CollectionStatistics, type QueryTerm } from './collection.js';

/** A passage the query found first, with what it is weighed by. */
export interface FeedbackPassage {
  /** Passages of one document count as one voice. */
  documentId: string;
  terms: readonly string[];
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
/** Words whose frequency is looked up. */
const CANDIDATES = 60;
/** Words that are added at most, and their weight together relative to the query's. */
const ADDED_TERMS = 20;
const ADDED_WEIGHT = 0.1;
/** A word in more than this share of the chunks says nothing. */
const COMMON_SHARE = 0.1;
/** When the first passage has this share of the query, by idf, the query has found its words and is left alone. */
const ANSWERED_SHARE = 0.8;

/**
 * The words the feedback passages agree on, by the relevance model RM1 (Lavrenko and Croft 2001): the mean of a word's
 * share in each passage, weighted by the passage's score.
 */
export function feedbackTerms(query: readonly QueryTerm[], passages: readonly FeedbackPassage[]): FeedbackTerm[] {
  if (passages.length < FEEDBACK_PASSAGES) return [];
  const asked = new Set(query.map(({ term }) => term));
  const total = passages.reduce((sum, { score }) => sum + score, 0);
  const found = new Map<string, { weight: number; documents: Set<string> }>();
  for (const { terms, score, documentId } of passages) {
    for (const term of terms) {
      let entry = found.get(term);
      if (!entry) found.set(term, (entry = { weight: 0, documents: new Set() }));
      entry.weight += score / total / terms.length;
      entry.documents.add(documentId);
    }
  }
  return [...found]
    .filter(([term, { documents }]) => documents.size >= AGREEING_DOCUMENTS && !asked.has(term) && isWord(term))
    .map(([term, { weight }]) => ({ term, weight }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, CANDIDATES);
}

/**
 * The terms to add to the query, none when it is better left alone (RM3 of Abdul-Jaleel et al. 2004, kept short and
 * light). What was tried and measured is in docs/decisions/0011-query-expansion.md.
 * @param frequencyOf live chunks with a term, exact
 */
export function expand(
  query: readonly QueryTerm[],
  passages: readonly FeedbackPassage[],
  { chunkCount }: CollectionStatistics,
  frequencyOf: (term: string) => number,
): QueryTerm[] {
  const idf = (term: string) => inverseDocumentFrequency(chunkCount, frequencyOf(term));
  const first = new Set(passages[0]?.terms);
  const mass = sumOf(query, ({ term, weight }) => weight * idf(term));
  const covered = sumOf(query, ({ term, weight }) => (first.has(term) ? weight * idf(term) : 0));
  if (covered >= mass * ANSWERED_SHARE) return [];
  const added = feedbackTerms(query, passages)
    .filter(({ term }) => frequencyOf(term) < chunkCount * COMMON_SHARE)
    .map(({ term, weight }) => ({ term, weight, value: weight * idf(term) }))
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
