import { createHash } from 'node:crypto';
import { lengthNorms, recency } from './bm25.js';
import { type BoundQuery, type Hit, longestOf, type SegmentView } from './collection.js';
import type { PostingList } from './postings.js';
import { giveBackColumns, takeColumns } from './score-columns.js';
import { atOnce } from './slices.js';
import { ranksBefore } from './top-hits.js';

/** Segments of one language and the query bound to them. */
export interface SearchedGroup {
  views: readonly SegmentView[];
  query: BoundQuery;
}

/** Postings or chunks that are gone through between two `yield`s. */
const BLOCK = 1 << 14;
/** The same where each may become a hit that has to be sorted. */
const COLLECTED = 1 << 11;
/** Hits beyond those that are asked for that are collected before the lesser ones are dropped. */
const SPARE_HITS = 1000;
/** Into so many ranges scores are divided to find out which are among the best. */
const BINS = 4096;
/** Of a candidate in {@link Candidates.digest}: its ordinal and its score. */
const ENTRY_BYTES = 12;

/**
 * Scores every live chunk that has a term of the query: no bound, no skipping. Best first. The reference for {@link
 * searchTop}, which must return the same hits bit for bit.
 */
export function searchAll(views: readonly SegmentView[], query: BoundQuery): Hit[] {
  const candidates = atOnce(scoreAll([{ views, query }]));
  const hits = atOnce(candidates.best(Infinity));
  candidates.release();
  return hits;
}

/** Scores the same for the audit lane, in as many languages as are searched. */
export function* scoreAll(groups: readonly SearchedGroup[]): Generator<void, Candidates> {
  const scored: ScoredSegment[] = [];
  for (const { views, query } of groups) {
    const norms = lengthNorms(query.averageLength, longestOf(views));
    for (const view of views) {
      const segment = new ScoredSegment(view, query);
      yield* segment.score(norms);
      scored.push(segment);
    }
  }
  return new Candidates(scored);
}

/** All that an exhaustive search scored, in columns: an object for each of a million chunks would cost far more. */
export class Candidates {
  /** The best of them, so many as were asked for, while no score is replaced. */
  private ranked: { readonly limit: number; readonly hits: readonly Hit[] } | undefined;

  constructor(private segments: readonly ScoredSegment[]) {}

  get count(): number {
    return this.segments.reduce((sum, { count }) => sum + count, 0);
  }

  /** Gives these chunks the scores that they have here: those of hits that are near in meaning too. */
  replace(hits: readonly Hit[]): void {
    if (hits.length > 0) this.ranked = undefined;
    const segments = new Map(this.segments.map((segment) => [segment.view, segment]));
    for (const hit of hits) segments.get(hit.view)!.replace(hit);
  }

  /** The best of them, best first. Fewer than were asked for before are there already. */
  *best(limit: number): Generator<void, Hit[]> {
    if (!this.ranked || limit > this.ranked.limit) this.ranked = { limit, hits: yield* this.rank(limit) };
    return this.ranked.hits.slice(0, limit);
  }

  /** Lets later searches have the memory. Nothing is read of them afterwards. */
  release(): void {
    for (const segment of this.segments) segment.release();
    this.segments = [];
    this.ranked = undefined;
  }

  private *rank(limit: number): Generator<void, Hit[]> {
    let hits: Hit[] = [];
    let least = yield* this.boundOf(limit);
    for (const segment of this.segments) {
      for (const [from, to] of blocksOf(segment.view.segment.chunkCount, COLLECTED)) {
        segment.collect(from, to, least, hits);
        if (hits.length > limit + SPARE_HITS) {
          hits = cut(hits, limit);
          least = hits.at(-1)?.score ?? Infinity;
        }
        yield;
      }
    }
    return cut(hits, limit);
  }

  /** A score that at least `limit` of them reach, and few more, unless many score alike. */
  private *boundOf(limit: number): Generator<void, number> {
    if (limit >= this.count) return -Infinity;
    const greatest = this.segments.reduce((score, one) => Math.max(score, one.greatest), 0);
    const counts = new Uint32Array(BINS);
    for (const segment of this.segments) {
      for (const [from, to] of blocksOf(segment.view.segment.chunkCount)) {
        segment.countInto(counts, from, to, BINS / greatest);
        yield;
      }
    }
    let bin = BINS - 1;
    for (let sum = counts[bin]!; sum < limit && bin > 0; sum += counts[bin]!) bin--;
    // One range lower, since the two ways to its edge may round differently.
    return ((bin - 1) * greatest) / BINS;
  }

  /**
   * SHA-256 over all of them, segment after segment in the order of their digests: of each segment that has any its
   * digest (32 bytes), their number (4), and of each, by ordinal, the ordinal (4) and the score (8, IEEE 754). Numbers
   * are little-endian. A segment's digest covers the ids of its chunks.
   */
  *digest(): Generator<void, Uint8Array> {
    const hash = createHash('sha256');
    const entries = new DataView(new ArrayBuffer(BLOCK * ENTRY_BYTES));
    const digestOf = ({ view }: ScoredSegment) => view.segment.digest;
    for (const segment of [...this.segments].sort((a, b) => Buffer.compare(digestOf(a), digestOf(b)))) {
      if (segment.count === 0) continue;
      entries.setUint32(0, segment.count, true);
      hash.update(digestOf(segment)).update(new Uint8Array(entries.buffer, 0, 4));
      for (const [from, to] of blocksOf(segment.view.segment.chunkCount)) {
        hash.update(new Uint8Array(entries.buffer, 0, segment.write(from, to, entries)));
        yield;
      }
    }
    return hash.digest();
  }
}

/** What was scored of one segment, by ordinal. */
class ScoredSegment {
  count = 0;
  greatest = 0;
  private readonly columns;
  private readonly matched: Uint8Array;
  private readonly scores: Float64Array;
  private readonly lexical: Float64Array;
  private readonly laneWeight: Float64Array;
  /** Of the few chunks that have one. */
  private readonly vectors = new Map<number, number>();

  constructor(
    readonly view: SegmentView,
    private readonly query: BoundQuery,
  ) {
    const { chunkCount } = view.segment;
    this.columns = takeColumns(chunkCount);
    this.matched = this.columns.matched;
    this.scores = this.columns.scores;
    this.lexical = this.columns.lexical;
    this.laneWeight = query.originals < query.terms.length ? new Float64Array(chunkCount) : this.lexical;
  }

  release(): void {
    giveBackColumns(this.columns);
  }

  *score(norms: Float64Array): Generator<void, void> {
    const { view, query } = this;
    for (const [i, term] of query.terms.entries()) {
      const list = view.postings.get(term);
      if (!list) continue;
      const sums = i < query.originals ? this.lexical : this.laneWeight;
      for (const [from, to] of blocksOf(list.ordinals.length)) {
        this.add(list, { from, to, weight: query.weights[i]!, sums }, norms);
        yield;
      }
    }
    for (const [from, to] of blocksOf(view.segment.chunkCount)) {
      this.complete(from, to);
      yield;
    }
  }

  replace({ ordinal, score, vector }: Hit): void {
    this.count += 1 - this.matched[ordinal]!;
    this.matched[ordinal] = 1;
    this.scores[ordinal] = score;
    this.greatest = Math.max(this.greatest, score);
    this.vectors.set(ordinal, vector);
  }

  /** Counts the candidates among these ordinals by their score, `scale` ranges to 1 of it. */
  countInto(counts: Uint32Array, from: number, to: number, scale: number): void {
    const { matched, scores } = this;
    for (let ordinal = from; ordinal < to; ordinal++)
      if (matched[ordinal]) counts[Math.min(Math.floor(scores[ordinal]! * scale), BINS - 1)]!++;
  }

  /** Adds the hits of these ordinals that have at least this score. */
  collect(from: number, to: number, least: number, hits: Hit[]): void {
    const { matched, scores } = this;
    for (let ordinal = from; ordinal < to; ordinal++)
      if (matched[ordinal] && scores[ordinal]! >= least) hits.push(this.hitAt(ordinal));
  }

  /** Writes the entries of these ordinals. @returns their bytes */
  write(from: number, to: number, entries: DataView): number {
    let at = 0;
    for (let ordinal = from; ordinal < to; ordinal++) {
      if (!this.matched[ordinal]) continue;
      entries.setUint32(at, ordinal, true);
      entries.setFloat64(at + 4, this.scores[ordinal]!, true);
      at += ENTRY_BYTES;
    }
    return at;
  }

  private add(
    { ordinals, frequencies }: PostingList,
    { from, to, weight, sums }: { from: number; to: number; weight: number; sums: Float64Array },
    norms: Float64Array,
  ): void {
    const { lengths } = this.view.segment;
    for (let p = from; p < to; p++) {
      const ordinal = ordinals[p]!;
      const frequency = frequencies[p]!;
      sums[ordinal]! += weight * (frequency / (frequency + norms[lengths[ordinal]!]!));
      this.matched[ordinal] = 1;
    }
  }

  /** Makes scores of the sums, and leaves out what is withdrawn. */
  private complete(from: number, to: number): void {
    const dead = this.view.tombstones?.dead;
    for (let ordinal = from; ordinal < to; ordinal++) {
      if (!this.matched[ordinal]) continue;
      if (dead?.[ordinal]) {
        this.matched[ordinal] = 0;
        continue;
      }
      this.count++;
      const score = scoreOf(this.view, this.query, ordinal, this.lexical[ordinal]!, this.weightAt(ordinal));
      this.scores[ordinal] = score;
      if (score > this.greatest) this.greatest = score;
    }
  }

  private hitAt(ordinal: number): Hit {
    const hit = makeHit(this.view, this.query, ordinal, this.lexical[ordinal]!, this.weightAt(ordinal));
    const vector = this.vectors.get(ordinal);
    return vector === undefined ? hit : { ...hit, vector, score: this.scores[ordinal]! };
  }

  private weightAt(ordinal: number): number {
    return this.laneWeight === this.lexical ? 0 : this.laneWeight[ordinal]!;
  }
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
  return makeHit(view, query, ordinal, sums[0], sums[1]);
}

function makeHit(view: SegmentView, query: BoundQuery, ordinal: number, lexical: number, laneWeight: number): Hit {
  const score = scoreOf(view, query, ordinal, lexical, laneWeight);
  const recent = recency(view.segment.days[ordinal]!, query.today);
  return {
    view,
    ordinal,
    chunkId: view.segment.chunkIdOf(ordinal),
    score,
    lexical,
    vector: 0,
    recency: recent,
    laneWeight,
  };
}

function scoreOf(view: SegmentView, query: BoundQuery, ordinal: number, lexical: number, laneWeight: number): number {
  const recent = recency(view.segment.days[ordinal]!, query.today);
  return (lexical + 0 + recent + laneWeight) * (view.factorOf?.(ordinal) ?? 1);
}

const cut = (hits: Hit[], limit: number): Hit[] => hits.sort((a, b) => (ranksBefore(a, b) ? -1 : 1)).slice(0, limit);

function* blocksOf(count: number, size = BLOCK): Generator<[from: number, to: number]> {
  for (let from = 0; from < count; from += size) yield [from, Math.min(from + size, count)];
}
