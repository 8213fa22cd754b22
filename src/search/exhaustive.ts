import { lengthNorms, recency } from './bm25.js';
import { type BoundQuery, type Hit, longestOf, type SegmentView } from './collection.js';
import { ranksBefore } from './top-hits.js';

/**
 * Scores every live chunk that has a term of the query: no bound, no skipping. Best first. The reference for {@link
 * searchTop}, which must return the same hits bit for bit, and the audit lane's search.
 */
export function searchAll(views: readonly SegmentView[], query: BoundQuery): Hit[] {
  const norms = lengthNorms(query.averageLength, longestOf(views));
  const hits = views.flatMap((view) => scoreSegment(view, query, norms));
  return hits.sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
}

function scoreSegment(view: SegmentView, query: BoundQuery, norms: Float64Array): Hit[] {
  const { segment, tombstones } = view;
  const sums = [new Float64Array(segment.chunkCount), new Float64Array(segment.chunkCount)] as const;
  const matched = new Uint8Array(segment.chunkCount);
  query.terms.forEach((term, i) => {
    const list = view.postings.get(term);
    if (!list) return;
    const sum = sums[i < query.originals ? 0 : 1];
    const weight = query.weights[i]!;
    for (let p = 0; p < list.ordinals.length; p++) {
      const ordinal = list.ordinals[p]!;
      const frequency = list.frequencies[p]!;
      sum[ordinal]! += weight * (frequency / (frequency + norms[segment.lengths[ordinal]!]!));
      matched[ordinal] = 1;
    }
  });
  const hits: Hit[] = [];
  for (let ordinal = 0; ordinal < matched.length; ordinal++) {
    if (matched[ordinal] && !tombstones?.dead[ordinal]) {
      hits.push(makeHit(view, ordinal, query, sums[0][ordinal]!, sums[1][ordinal]!));
    }
  }
  return hits;
}

/** Scores one chunk, whether or not it has a term of the query: the same additions as a search makes. */
export function scoreChunk(views: readonly SegmentView[], query: BoundQuery, view: SegmentView, ordinal: number): Hit {
  const norms = lengthNorms(query.averageLength, longestOf(views));
  const sums = [0, 0] as [number, number];
  query.terms.forEach((term, i) => {
    const frequency = view.postings.get(term)?.frequencyIn(ordinal) ?? 0;
    if (frequency === 0) return;
    const norm = norms[view.segment.lengths[ordinal]!]!;
    sums[i < query.originals ? 0 : 1] += query.weights[i]! * (frequency / (frequency + norm));
  });
  return makeHit(view, ordinal, query, sums[0], sums[1]);
}

function makeHit(view: SegmentView, ordinal: number, query: BoundQuery, lexical: number, laneWeight: number): Hit {
  const recent = recency(view.segment.days[ordinal]!, query.today);
  const chunkId = view.segment.chunkIds[ordinal]!;
  const score = (lexical + 0 + recent + laneWeight) * (view.factorOf?.(ordinal) ?? 1);
  return { view, ordinal, chunkId, score, lexical, vector: 0, recency: recent, laneWeight };
}
