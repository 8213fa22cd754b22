import type { Analyzer } from './analysis.js';
import { B, inverseDocumentFrequency, K1 } from './bm25.js';

/**
 * BM25 of each text for a query, over these texts alone: for as many as are read at once and have no index.
 * @returns scores in the order of the texts; 0 for one that shares no word with the query
 */
export function scoreTexts(analyzer: Analyzer, query: string, texts: readonly string[]): number[] {
  const documents = texts.map((text) => analyzer.analyze(text));
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(documents.length, 1);
  const counts = documents.map(countsOf);
  const scores = texts.map(() => 0);
  for (const [term, wanted] of [...countsOf(analyzer.analyze(query))].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const spread = counts.filter((count) => count.has(term)).length;
    const weight = wanted * inverseDocumentFrequency(texts.length, spread) * (K1 + 1);
    for (const [place, count] of counts.entries()) {
      const frequency = count.get(term) ?? 0;
      const norm = K1 * (1 - B + (B * documents[place]!.length) / average);
      if (frequency > 0) scores[place]! += (weight * frequency) / (frequency + norm);
    }
  }
  return scores;
}

/**
 * Texts by their words and by meaning, best first: score = BM25 + part * the best BM25, at least 1.
 * @param near of the best score by words what a text gets for its meaning, by id
 * @returns ids of those with a score
 */
export function rankTexts(
  analyzer: Analyzer,
  query: string,
  items: readonly { id: string; text: string }[],
  near: ReadonlyMap<string, number>,
): string[] {
  const lexical = scoreTexts(
    analyzer,
    query,
    items.map(({ text }) => text),
  );
  const scale = Math.max(1, ...lexical);
  return items
    .map(({ id }, place) => ({ id, score: lexical[place]! + (near.get(id) ?? 0) * scale }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
