import { LRUCache } from 'lru-cache';
import { analyzerFor } from './analysis.js';
import type { QueryTerm } from './collection.js';
import { type Language, rulesOf } from './languages.js';
import { relatedWords } from './wordnet.js';

/** A term that stands for a word of the query, by how near it is to it: over 0 and at most 1. */
interface Synonym {
  term: string;
  nearness: number;
}

/** The synonyms of each word of a query that has some. */
export type Synonyms = readonly (readonly Synonym[])[];

/** The one that WordNet is of. */
const LANGUAGE: Language = 'english';
const WORD = /[a-z]+(?:-[a-z]+)*/g;
/** Of a query: what a longer one asks stands in its words. */
const MAX_WORDS = 40;
/** Terms that are added for a word at most, and what all of them together weigh, relative to it, where there is one. */
const ADDED_TERMS = 24;
const ADDED_WEIGHT = 0.5;
const CACHED_WORDS = 5_000;

const cache = new LRUCache<string, readonly Synonym[]>({ max: CACHED_WORDS });

/** What the words of a query could be called otherwise; nothing in other languages than English. */
export function synonymsOf(query: string, language: Language): Synonyms {
  if (language !== LANGUAGE) return [];
  const { stopWords } = rulesOf(LANGUAGE);
  const words = new Set(query.toLowerCase().match(WORD) ?? []);
  return [...words]
    .filter((word) => !stopWords.has(word))
    .slice(0, MAX_WORDS)
    .map(synonymsOfWord)
    .filter((synonyms) => synonyms.length > 0);
}

function synonymsOfWord(word: string): readonly Synonym[] {
  let synonyms = cache.get(word);
  if (synonyms) return synonyms;
  const analyzer = analyzerFor(LANGUAGE);
  const nearest = new Map<string, number>();
  for (const [related, nearness] of relatedWords(word)) {
    const [term, more] = analyzer.analyze(related);
    if (term !== undefined && more === undefined) nearest.set(term, Math.max(nearest.get(term) ?? 0, nearness));
  }
  synonyms = [...nearest]
    .map(([term, nearness]) => ({ term, nearness }))
    .sort((a, b) => b.nearness - a.nearness || (a.term < b.term ? -1 : 1));
  cache.set(word, synonyms);
  return synonyms;
}

/**
 * The terms to add to a query: of each of its words the nearest synonyms that the collection has, lighter the more of
 * them there are. What was tried and measured is in docs/decisions/0326-other-words-for-those-of-a-query.md.
 * @param has whether a chunk has the term
 */
export function synonymTerms(
  query: readonly QueryTerm[],
  synonyms: Synonyms,
  has: (term: string) => boolean,
): QueryTerm[] {
  const known = new Set(query.map(({ term }) => term));
  const added = new Map<string, number>();
  for (const ofWord of synonyms) {
    const usable = ofWord.filter(({ term }) => !known.has(term) && has(term)).slice(0, ADDED_TERMS);
    const share = ADDED_WEIGHT / Math.sqrt(usable.length);
    for (const { term, nearness } of usable) added.set(term, Math.max(added.get(term) ?? 0, nearness * share));
  }
  return [...added].map(([term, weight]) => ({ term, weight, expansion: true }));
}
