import { inverseDocumentFrequency } from './bm25.js';
import type { CollectionStatistics, QueryTerm } from './collection.js';

/** The words of a passage. */
export interface PassageTerms {
  /** Each once. */
  terms: readonly string[];
  /** How often each of them occurs. */
  counts: readonly number[];
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
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { terms: [...counts.keys()], counts: [...counts.values()], length: words.length };
}

/**
 * The words the feedback passages agree on, by the relevance model RM1 (Lavrenko and Croft 2001): the mean of a word's
 * share in each passage, weighted by the passage's score.
 */
export function feedbackTerms(query: readonly QueryTerm[], passages: readonly FeedbackPassage[]): FeedbackTerm[] {
  if (passages.length < FEEDBACK_PASSAGES) return [];
  const asked = new Set(query.map(({ term }) => term));
  const total = passages.reduce((sum, { score }) => sum + score, 0);
  // Columns: of a thousand different words some ten are of enough documents, and the others get no objects.
  const numbers = new Map<string, number>();
  const weights: number[] = [];
  const documents: number[] = [];
  for (const { terms, counts, length, score } of passages) {
    const share = score / total / length;
    for (let place = 0; place < terms.length; place++) {
      let number = numbers.get(terms[place]!);
      if (number === undefined) {
        numbers.set(terms[place]!, (number = weights.push(0) - 1));
        documents.push(0);
      }
      // One by one: the sum differs from a product in its last digits, and recorded scores are repeated exactly.
      for (let times = counts[place]!; times > 0; times--) weights[number]! += share;
      documents[number]!++;
    }
  }
  const candidates: FeedbackTerm[] = [];
  numbers.forEach((number, term) => {
    if (documents[number]! < AGREEING_DOCUMENTS || asked.has(term) || !isWord(term)) return;
    candidates.push({ term, weight: weights[number]! });
  });
  return candidates.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, CANDIDATES);
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
