import type { Hit } from '../../../../search/collection.js';
import { nearnessOf } from '../../../../search/nearness.js';
import { ranksBefore } from '../../../../search/top-hits.js';

/** How many of the nearest facts take part in the ranking. */
export const NEAREST = 100;

/** A fact near to the query in meaning, that the reader may see, with its score by words. */
export interface NearFact {
  hit: Hit;
  similarity: number;
}

/**
 * Adds the vector component, as retrieval does of passages: weight * scale * (cosine - least) / (greatest - least),
 * over the nearest facts; 0 for all others. Scale is the best hit's lexical score, at least 1. So at a weight below 1
 * meaning alone does not outrank the best match of words. What confidence takes of a score, it takes of this part too.
 * @param hits by words, best first
 * @param near nearest first
 */
export function fuseFacts(hits: readonly Hit[], near: readonly NearFact[], weight: number): Hit[] {
  if (near.length === 0) return [...hits];
  const scale = hits.reduce((most, { lexical }) => Math.max(most, lexical), 1);
  const nearness = nearnessOf(near.map(({ similarity }) => similarity));
  const byId = new Map(hits.map((hit) => [hit.chunkId, hit]));
  for (const [place, { hit }] of near.entries()) {
    const vector = weight * scale * nearness[place]!;
    const factor = hit.view.factorOf?.(hit.ordinal) ?? 1;
    const score = (hit.lexical + vector + hit.recency + hit.laneWeight) * factor;
    byId.set(hit.chunkId, { ...hit, vector, score });
  }
  return [...byId.values()].sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
}
