import type { BoundQuery, Hit, SegmentView } from '../../../../search/collection.js';
import { scoreChunk, searchAll } from '../../../../search/exhaustive.js';
import { searchTop } from '../../../../search/maxscore.js';
import { ranksBefore } from '../../../../search/top-hits.js';
import type { FactView } from './tenant-index.js';

/** Beyond this many hits it is cheaper to score all than to keep the best. */
const MAX_SKIPPING = 1024;
const GROWTH = 4;
/** Candidates that are looked at together. */
const MAX_AT_ONCE = 4096;

/** All matching facts, best first, in blocks; the first is as large as what is wanted, later ones are larger. */
export function* rankedBlocks(views: readonly SegmentView[], query: BoundQuery, limit: number): Generator<Hit[]> {
  let seen = 0;
  for (let most = limit; most <= MAX_SKIPPING; most *= GROWTH) {
    const { hits } = searchTop(views, query, most);
    yield hits.slice(seen);
    if (hits.length < most) return;
    seen = hits.length;
  }
  yield* inBlocks(searchAll(views, query), seen, MAX_AT_ONCE);
}

/** The same of a few facts alone, by statistics of all. */
export function* rankedAmong(
  views: readonly FactView[],
  query: BoundQuery,
  limit: number,
  seqs: readonly number[],
): Generator<Hit[]> {
  const hits = seqs.flatMap((seq) => {
    for (const view of views) {
      const ordinal = view.facts.ordinalOf(seq);
      if (ordinal !== undefined && !view.tombstones?.dead[ordinal]) return [scoreChunk(views, query, view, ordinal)];
    }
    return [];
  });
  const matching = hits.filter(({ lexical }) => lexical > 0);
  yield* inBlocks(
    matching.sort((a, b) => (ranksBefore(a, b) ? -1 : 1)),
    0,
    limit,
  );
}

/** @param size of the first block; later ones are larger */
function* inBlocks(hits: readonly Hit[], from: number, size: number): Generator<Hit[]> {
  let next = from;
  for (let most = size; next < hits.length; most = Math.min(most * GROWTH, MAX_AT_ONCE)) {
    yield hits.slice(next, next + most);
    next += most;
  }
}
