import type { BoundQuery, Hit } from './collection.js';
import { type Fit, FITS } from './fit.types.js';

/** From what the fit is judged. */
export interface FitEvidence {
  /** Of each of the best hits, see {@link featuresOf}. */
  features: number[][];
  /** Whether one of them has every word of the query; asked only where it matters. */
  hasAllWords: () => boolean;
}

/** The logarithm of the odds that something answers the query, and from where on they count as what. */
export interface FitModel {
  bias: number;
  /** Of the features, in their order. */
  weights: readonly number[];
  /** Below these odds: none. */
  none: number;
  /** From these odds on: strong. */
  strong: number;
}

/**
 * Learned by `npm run bench:fit` on Cranfield and SciFact: their questions, whole and cut to one to three words, put to
 * collections of 10 documents and more that have what is relevant to them, to the same without it, and to the other
 * collection. How often it is right: docs/benchmarks.md; why so: docs/decisions/0312.
 */
export const LEARNED: FitModel = { bias: 2.68, weights: [2.17, -0.28, 0.94], none: -1.65, strong: 0.39 };

/** What lies outside of what was learned on is taken for the nearest that was in it. */
const MIN_CHUNKS = 10;
const MAX_CHUNKS = 6_000;
const MAX_TERMS = 40;
/** Hits that are looked at: what a lane adds to the query may put another before the best by words. */
const LOOKED_AT = 3;

/**
 * The fit of the best hits by words.
 * @param hits best first
 * @param queryOf the query that a hit was found by: that of its language
 */
export function fitOf(hits: readonly Hit[], queryOf: (hit: Hit) => BoundQuery): Fit {
  return judge(evidenceOf(hits, queryOf), LEARNED);
}

/** Of the first LOOKED_AT hits. @param hits and queryOf as of {@link fitOf} */
export function evidenceOf(hits: readonly Hit[], queryOf: (hit: Hit) => BoundQuery): FitEvidence {
  const best = hits.slice(0, LOOKED_AT).map((hit) => ({ hit, query: queryOf(hit) }));
  return {
    features: best.map(({ hit, query }) => featuresOf(hit, query)),
    hasAllWords: () => best.some(({ hit, query }) => hasAll(hit, query)),
  };
}

/** Whoever asks for one word, or for words that one chunk has all of, is never refused. */
export function judge({ features, hasAllWords }: FitEvidence, model: FitModel): Fit {
  const odds = Math.max(-Infinity, ...features.map((one) => oddsOf(one, model)));
  if (odds >= model.strong) return 'strong';
  return odds >= model.none || hasAllWords() ? 'weak' : 'none';
}

/** The logarithm of the odds by one hit: a linear function of its features. */
export function oddsOf(features: readonly number[], { bias, weights }: Pick<FitModel, 'bias' | 'weights'>): number {
  return features.reduce((sum, feature, i) => sum + weights[i]! * feature, bias);
}

/** Of a result that has several parts: the strongest. */
export function strongestFit(fits: readonly Fit[]): Fit {
  return FITS.find((fit) => fits.includes(fit)) ?? 'none';
}

/** Words alone do not refuse what is near in meaning. */
export const withNear = (fit: Fit, isNear: boolean): Fit => (fit === 'none' && isNear ? 'weak' : fit);

/**
 * As logarithms: the hit's score for words over what all words of the query weigh, those that no chunk has included;
 * the size of the collection; the length of the query. More of a short query is matched by chance, and in a large
 * collection.
 */
function featuresOf({ lexical }: Hit, { asked, askedTerms, chunkCount }: BoundQuery): number[] {
  return [
    Math.log(Math.max(lexical, Number.MIN_VALUE) / asked),
    Math.log(Math.min(Math.max(chunkCount, MIN_CHUNKS), MAX_CHUNKS)),
    Math.log(Math.min(Math.max(askedTerms, 1), MAX_TERMS)),
  ];
}

function hasAll({ view, ordinal }: Hit, { terms, originals, askedTerms }: BoundQuery): boolean {
  if (originals === 0 || originals < askedTerms) return false;
  return terms.slice(0, originals).every((term) => (view.postings.get(term)?.frequencyIn(ordinal) ?? 0) > 0);
}
