import type { Hit } from '../../../search/collection.js';
import { scoreChunk } from '../../../search/exhaustive.js';
import { nearnessOf } from '../../../search/nearness.js';
import { ranksBefore } from '../../../search/top-hits.js';
import type { OpenSegment } from './index/segment-loader.service.js';
import type { LanguageGroup } from './retrieval.rules.js';

/** How many of the nearest chunks take part in the ranking. */
export const NEAREST = 100;

/** A chunk near to the query in meaning, in the segment that holds it. */
export interface NearHit {
  group: LanguageGroup<OpenSegment>;
  view: OpenSegment;
  ordinal: number;
  similarity: number;
}

/** Where a live chunk is, if it is in what is searched. */
export function locate(
  groups: readonly LanguageGroup<OpenSegment>[],
  ownerTenantId: string,
  chunkId: string,
): Omit<NearHit, 'similarity'> | undefined {
  for (const group of groups) {
    for (const view of group.views) {
      if (view.shard.tenantId !== ownerTenantId) continue;
      const ordinal = view.segment.ordinalOf(chunkId);
      if (ordinal !== undefined && !view.tombstones?.dead[ordinal]) return { group, view, ordinal };
    }
  }
  return undefined;
}

/**
 * The nearest chunks with their vector component: weight * scale * (cosine - least) / (greatest - least), over the
 * nearest chunks; 0 for all others. Scale is the best hit's lexical score, at least 1. So at a weight below 1 meaning
 * alone never outranks the best match of words, whatever the model's cosines look like.
 * @param best the best hit by words
 * @param near nearest first
 */
export function scoreNear(best: Hit | undefined, near: readonly NearHit[], weight: number): Hit[] {
  const scale = Math.max(best?.lexical ?? 0, 1);
  const nearness = nearnessOf(near.map(({ similarity }) => similarity));
  return near.map(({ group, view, ordinal }, place) => {
    const hit = scoreChunk(group.views, group.query, view, ordinal);
    const vector = weight * scale * nearness[place]!;
    return { ...hit, vector, score: hit.lexical + vector + hit.recency + hit.laneWeight };
  });
}

/**
 * Ranks the hits and those that are near together.
 * @param hits by words, best first, at least NEAREST more than will be returned
 * @param near as {@link scoreNear} scores them
 */
export function fuse(hits: readonly Hit[], near: readonly Hit[]): Hit[] {
  if (near.length === 0) return [...hits];
  const all = new Map([...hits, ...near].map((hit) => [keyOf(hit.view as OpenSegment, hit.chunkId), hit]));
  return [...all.values()].sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
}

function keyOf(view: OpenSegment, chunkId: string): string {
  return `${view.shard.shardId}${chunkId}`;
}
