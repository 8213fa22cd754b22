import { GatheredPostings } from './postings.js';
import { type PackedPostings, Segment, SegmentCorrupted, type SegmentData, SegmentWriter } from './segment.js';

/** A segment to merge, with the ids of its chunks that are withdrawn; ids it does not have are allowed. */
export interface MergeInput {
  segment: SegmentData;
  withdrawn: ReadonlySet<string>;
}

interface Source {
  segment: Segment;
  /** Its posting lists in the order of their terms, and the one that is next. */
  lists: Iterator<PackedPostings, undefined>;
  next: PackedPostings | undefined;
  /** New ordinal by old ordinal, -1 where the chunk is withdrawn. */
  renumbered: Int32Array;
}

/**
 * Makes one segment out of several of one language, without the withdrawn chunks: the chunks keep their order, segment
 * after segment. Searching it gives bit for bit what searching the sources with their tombstones gives.
 * @throws SegmentCorrupted when a source is not what was written.
 */
export function mergeSegments(inputs: readonly MergeInput[]): SegmentData {
  const first = inputs[0];
  if (!first) throw new RangeError('nothing to merge');
  const columns = {
    language: first.segment.language,
    chunkIds: [] as string[],
    lengths: [] as number[],
    days: [] as number[],
  };
  const sources = inputs.map((input): Source => {
    const segment = Segment.open(input.segment.header, input.segment.digest);
    if (segment.language !== columns.language) throw new RangeError('segments of two languages do not merge');
    const renumbered = new Int32Array(segment.chunkCount).fill(-1);
    segment.chunkIds().forEach((chunkId, ordinal) => {
      if (input.withdrawn.has(chunkId)) return;
      renumbered[ordinal] = columns.chunkIds.push(chunkId) - 1;
      columns.lengths.push(segment.lengths[ordinal]!);
      columns.days.push(segment.days[ordinal]!);
    });
    const lists = segment.packedPostings(input.segment);
    return { segment, lists, next: nextOf(lists), renumbered };
  });
  const writer = new SegmentWriter(columns);
  const gathered = new GatheredPostings(sources.reduce((sum, { segment }) => sum + segment.chunkCount, 0));
  for (;;) {
    const term = firstTermOf(sources);
    if (term === undefined) return writer.finish();
    gather(term, sources, gathered);
    if (gathered.count > 0) writer.add(term, gathered.ordinals, gathered.frequencies, gathered.count);
  }
}

const nextOf = (lists: Iterator<PackedPostings, undefined>): PackedPostings | undefined => lists.next().value;

function firstTermOf(sources: readonly Source[]): string | undefined {
  let first: string | undefined;
  for (const { next } of sources) if (next && (first === undefined || next.term < first)) first = next.term;
  return first;
}

function gather(term: string, sources: readonly Source[], gathered: GatheredPostings): void {
  gathered.clear();
  for (const source of sources) {
    if (source.next?.term !== term) continue;
    const { bytes, count } = source.next;
    if (gathered.add(bytes, source.renumbered) !== count)
      throw new SegmentCorrupted(`the postings of "${term}" are cut`);
    source.next = nextOf(source.lists);
  }
}

/** A segment as the merge policy sees it. */
export interface MergeCandidate {
  id: string;
  chunkCount: number;
}

/** Segments of about one size that may exist side by side before they are merged. */
export const MERGE_FACTOR = 8;
/**
 * Segments smaller than this count as one size, so that a trickle of single documents is merged early. What the largest
 * batch of documents brings in, a passage or two each, is of the next size: it is merged as soon as eight are there.
 */
const SMALLEST_TIER = 128;
/** With this share of its chunks withdrawn, a shard is rewritten as a whole. */
const REWRITE_WITHDRAWN_SHARE = 0.25;

/**
 * Which segments of one shard to merge now: groups that share no segment. Tiers of size grow by {@link MERGE_FACTOR}; a
 * tier that holds that many segments is merged into one, so n chunks are in at most about MERGE_FACTOR * log8(n / 128)
 * segments and every chunk is rewritten once a tier (the logarithmic method of Bentley and Saxe 1980; LSM trees call it
 * size-tiered).
 * @param withdrawn tombstones of the shard
 */
export function planMerges(segments: readonly MergeCandidate[], withdrawn: number): string[][] {
  const chunkCount = segments.reduce((sum, segment) => sum + segment.chunkCount, 0);
  if (segments.length > 0 && withdrawn > chunkCount * REWRITE_WITHDRAWN_SHARE) return [segments.map(({ id }) => id)];
  const tiers = new Map<number, string[]>();
  for (const { id, chunkCount: size } of segments) {
    const tier = tierOf(size);
    tiers.set(tier, [...(tiers.get(tier) ?? []), id]);
  }
  return [...tiers.values()].filter((ids) => ids.length >= MERGE_FACTOR);
}

function tierOf(chunks: number): number {
  return Math.max(0, Math.ceil(Math.log(Math.max(chunks, 1) / SMALLEST_TIER) / Math.log(MERGE_FACTOR)));
}
