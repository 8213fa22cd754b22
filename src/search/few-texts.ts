import type { Analyzer } from './analysis.js';
import { inverseDocumentFrequency, K1, lengthNorm } from './bm25.js';
import { countsOf } from './counts.js';
import { inSlices } from './slices.js';

/** What of a text counts for a query. */
interface Counted {
  readonly length: number;
  /** By the terms of the query, those that it has. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * BM25 of each text for a query, over these texts alone: for as many as are read at once and have no index.
 * @returns scores in the order of the texts; 0 for one that shares no word with the query
 */
export function scoreTexts(analyzer: Analyzer, query: string, texts: readonly string[]): number[] {
  const wanted = countsOf(analyzer.analyze(query));
  return scoresOf(
    wanted,
    texts.map((text) => counted(analyzer, text, wanted)),
  );
}

function scoresOf(query: ReadonlyMap<string, number>, texts: readonly Counted[]): number[] {
  const average = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(texts.length, 1);
  const scores = texts.map(() => 0);
  for (const [term, wanted] of [...query].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const spread = texts.filter(({ counts }) => counts.has(term)).length;
    const weight = wanted * inverseDocumentFrequency(texts.length, spread) * (K1 + 1);
    for (const [place, { length, counts }] of texts.entries()) {
      const frequency = counts.get(term) ?? 0;
      if (frequency > 0) scores[place]! += (weight * frequency) / (frequency + lengthNorm(length, average));
    }
  }
  return scores;
}

/** Of its terms those of the query alone are kept: the texts may be megabytes together. */
function counted(analyzer: Analyzer, text: string, wanted: ReadonlyMap<string, number>): Counted {
  const terms = analyzer.analyze(text);
  return { length: terms.length, counts: countsOf(terms.filter((term) => wanted.has(term))) };
}

/**
 * Texts by their words and by meaning, best first: score = BM25 + part * the best BM25, at least 1.
 * @param near of the best score by words what a text gets for its meaning, by id
 * @returns ids of those with a score
 */
export const rankTexts = (
  analyzer: Analyzer,
  query: string,
  items: readonly { id: string; text: string }[],
  near: ReadonlyMap<string, number>,
): Promise<string[]> => inSlices(ranked(analyzer, query, items, near));

function* ranked(...[analyzer, query, items, near]: Parameters<typeof rankTexts>): Generator<void, string[]> {
  const wanted = countsOf(analyzer.analyze(query));
  const texts: Counted[] = [];
  for (const { text } of items) {
    texts.push(counted(analyzer, text, wanted));
    yield;
  }
  const lexical = scoresOf(wanted, texts);
  const scale = Math.max(1, ...lexical);
  return items
    .map(({ id }, place) => ({ id, score: lexical[place]! + (near.get(id) ?? 0) * scale }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}
