import { lengthNorms, recency } from './bm25.js';
import { type BoundQuery, type Hit, longestOf, type SegmentView } from './collection.js';
import { type PostingList, WINDOW } from './postings.js';
import { TopHits } from './top-hits.js';

/**
 * Bounds and partial sums add in another order than scores do: this much, relative, is more than the difference can be.
 */
const SLACK = 1 + 1e-9;

/** What looking up a chunk in a list costs, in postings read in passing. */
const LOOKUP_COST = 8;

const sums = new Float64Array(WINDOW);
const touched = new Uint16Array(WINDOW);

/** What a search found, and how many chunks it scored in full. */
export interface TopSearch {
  hits: Hit[];
  scored: number;
}

/**
 * The best `limit` live chunks, exactly as the exhaustive search ranks them. Block-max MaxScore (Turtle and Flood 1995;
 * Ding and Suel 2011; by windows as Lucene does): in every window the terms whose bounds together cannot lift a chunk
 * to the threshold are only looked up for chunks the other terms bring, and a window that cannot reach the threshold is
 * skipped.
 */
export function searchTop(views: readonly SegmentView[], query: BoundQuery, limit: number): TopSearch {
  const top = new TopHits(limit);
  const norms = lengthNorms(query.averageLength, longestOf(views));
  let scored = 0;
  // The greatest segment first: the sooner the threshold is high, the more is skipped.
  for (const view of [...views].sort((a, b) => b.segment.chunkCount - a.segment.chunkCount)) {
    const search = new SegmentSearch(view, query, norms, top);
    search.run();
    scored += search.scored;
  }
  return { hits: top.finish(), scored };
}

class SegmentSearch {
  scored = 0;
  private readonly lists: PostingList[] = [];
  private readonly weights: number[] = [];
  private readonly originals: number;
  /** Per term, the postings of the current window: from `starts` to before `ends`. */
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  /** Per term with a long list, where its postings of each window begin, and the greatest part of its weight there. */
  private readonly windowStarts: (Uint32Array | undefined)[];
  private readonly windowBounds: (Float64Array | undefined)[];
  /** Per term, the most it adds to a chunk of the window. */
  private readonly bounds: Float64Array;
  /** Terms by bound, lowest first, and the sums of the bounds up to each. */
  private readonly order: Int32Array;
  private readonly boundSums: Float64Array;
  private readonly mostRecent: number;
  private readonly lengths: Uint16Array;
  private readonly dead: Uint8Array | undefined;

  constructor(
    private readonly view: SegmentView,
    private readonly query: BoundQuery,
    private readonly norms: Float64Array,
    private readonly top: TopHits,
  ) {
    let originals = 0;
    query.terms.forEach((term, i) => {
      const list = view.postings.get(term);
      if (!list) return;
      this.lists.push(list);
      this.weights.push(query.weights[i]!);
      if (i < query.originals) originals++;
    });
    this.originals = originals;
    const count = this.lists.length;
    this.windowStarts = this.lists.map((list) => list.windowStarts);
    this.windowBounds = this.lists.map((list) => list.windowBounds(norms));
    this.starts = new Int32Array(count);
    this.ends = new Int32Array(count);
    this.bounds = new Float64Array(count);
    this.boundSums = new Float64Array(count);
    this.order = Int32Array.from({ length: count }, (_, i) => i);
    this.mostRecent = recency(view.segment.latestDay, query.today);
    this.lengths = view.segment.lengths;
    this.dead = view.tombstones?.dead;
  }

  run(): void {
    if (this.lists.length === 0 || !this.canReach(this.segmentBound())) return;
    const windows = Math.ceil(this.view.segment.chunkCount / WINDOW);
    for (let window = 0; window < windows; window++) {
      this.enter(window);
      const essential = this.firstEssential();
      if (essential < this.lists.length) this.scoreWindow(window * WINDOW, essential);
      this.starts.set(this.ends);
    }
  }

  private segmentBound(): number {
    let bound = 0;
    for (let t = 0; t < this.lists.length; t++) bound += this.weights[t]! * this.lists[t]!.upperBound(this.norms);
    return bound;
  }

  /**
   * Whether a chunk with at most this from its terms could still enter the best. Equality counts: the id decides ties.
   */
  private canReach(bound: number): boolean {
    return (bound + this.mostRecent) * SLACK >= this.top.threshold;
  }

  /** Finds each term's postings and bound in a window. */
  private enter(window: number): void {
    for (let t = 0; t < this.lists.length; t++) {
      const starts = this.windowStarts[t];
      const bounds = this.windowBounds[t];
      if (starts && bounds) {
        this.ends[t] = starts[window + 1]!;
        this.bounds[t] = this.weights[t]! * bounds[window]!;
      } else this.enterShort(t, (window + 1) * WINDOW);
    }
  }

  /** Of a list with few postings in a window that ends before `high`: all are looked at. */
  private enterShort(term: number, high: number): void {
    const { ordinals, frequencies } = this.lists[term]!;
    const { lengths, norms } = this;
    let best = 0;
    let p = this.starts[term]!;
    for (; p < ordinals.length && ordinals[p]! < high; p++) {
      const frequency = frequencies[p]!;
      const part = frequency / (frequency + norms[lengths[ordinals[p]!]!]!);
      if (part > best) best = part;
    }
    this.ends[term] = p;
    this.bounds[term] = this.weights[term]! * best;
  }

  /**
   * Orders the terms by bound; returns where in that order the terms begin without which no chunk can reach the
   * threshold.
   */
  private firstEssential(): number {
    const { order, bounds, boundSums } = this;
    for (let i = 1; i < order.length; i++) {
      const term = order[i]!;
      let at = i;
      for (; at > 0 && bounds[order[at - 1]!]! > bounds[term]!; at--) order[at] = order[at - 1]!;
      order[at] = term;
    }
    let sum = 0;
    let essential = 0;
    for (let i = 0; i < order.length; i++) {
      sum += bounds[order[i]!]!;
      boundSums[i] = sum;
      if (!this.canReach(sum)) essential = i + 1;
    }
    return essential;
  }

  private scoreWindow(low: number, essential: number): void {
    let count = 0;
    for (let i = essential; i < this.order.length; i++) count = this.accumulate(this.order[i]!, low, count);
    for (let i = essential - 1; i >= 0; i--) {
      count = this.prune(count, this.boundSums[i]!);
      this.complete(this.order[i]!, low, count);
    }
    for (let i = 0; i < count; i++) {
      const offset = touched[i]!;
      const sum = sums[offset]!;
      sums[offset] = 0;
      if (this.canReach(sum) && !this.dead?.[low + offset]) this.offer(low + offset);
    }
  }

  /** Adds a term's scores to the window's sums; a chunk is listed when its first term comes. */
  private accumulate(term: number, low: number, count: number): number {
    const { ordinals, frequencies } = this.lists[term]!;
    const { lengths, norms } = this;
    const weight = this.weights[term]!;
    const end = this.ends[term]!;
    for (let p = this.starts[term]!; p < end; p++) {
      const ordinal = ordinals[p]!;
      const frequency = frequencies[p]!;
      const offset = ordinal - low;
      const before = sums[offset]!;
      if (before === 0) touched[count++] = offset;
      sums[offset] = before + weight * (frequency / (frequency + norms[lengths[ordinal]!]!));
    }
    return count;
  }

  /** Drops the chunks that cannot enter even if they get all of `rest`. */
  private prune(count: number, rest: number): number {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const offset = touched[i]!;
      if (this.canReach(sums[offset]! + rest)) touched[kept++] = offset;
      else sums[offset] = 0;
    }
    return kept;
  }

  /**
   * Adds a non-essential term to the chunks that are left: by one pass over its postings, or by look-ups where that is
   * less.
   */
  private complete(term: number, low: number, count: number): void {
    const start = this.starts[term]!;
    const end = this.ends[term]!;
    if (end - start > count * LOOKUP_COST) {
      for (let i = 0; i < count; i++) sums[touched[i]!]! += this.scoreOf(term, low + touched[i]!);
      return;
    }
    const { ordinals, frequencies } = this.lists[term]!;
    const { lengths, norms } = this;
    const weight = this.weights[term]!;
    for (let p = start; p < end; p++) {
      const ordinal = ordinals[p]!;
      const before = sums[ordinal - low]!;
      if (before === 0) continue;
      const frequency = frequencies[p]!;
      sums[ordinal - low] = before + weight * (frequency / (frequency + norms[lengths[ordinal]!]!));
    }
  }

  /** Scores in full, in canonical order: the same additions the exhaustive search makes. */
  private offer(ordinal: number): void {
    let lexical = 0;
    let laneWeight = 0;
    for (let t = 0; t < this.originals; t++) lexical += this.scoreOf(t, ordinal);
    for (let t = this.originals; t < this.lists.length; t++) laneWeight += this.scoreOf(t, ordinal);
    this.scored++;
    const recent = recency(this.view.segment.days[ordinal]!, this.query.today);
    const score = (lexical + 0 + recent + laneWeight) * (this.view.factorOf?.(ordinal) ?? 1);
    if (score < this.top.threshold) return;
    const chunkId = this.view.segment.chunkIdOf(ordinal);
    this.top.offer({ view: this.view, ordinal, chunkId, score, lexical, vector: 0, recency: recent, laneWeight });
  }

  private scoreOf(term: number, ordinal: number): number {
    const { ordinals, frequencies } = this.lists[term]!;
    const end = this.ends[term]!;
    const at = lowerBound(ordinals, this.starts[term]!, end, ordinal);
    if (at === end || ordinals[at] !== ordinal) return 0;
    const frequency = frequencies[at]!;
    return this.weights[term]! * (frequency / (frequency + this.norms[this.lengths[ordinal]!]!));
  }
}

function lowerBound(values: Uint32Array, low: number, high: number, target: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}
