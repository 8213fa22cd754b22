import { Inject, Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../../common/caches/cache-budget.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import type { PostingList, Tombstones } from '../../../../search/postings.js';
import type { Segment } from '../../../../search/segment.js';
import type { SegmentRef, Tombstone } from './index.types.js';

/** What a kept list takes beyond its term and itself. */
const LIST_ENTRY_BYTES = 100;
/** What a row of postings takes beyond its name and its bytes. */
const ROW_BYTES = 200;
/**
 * What the lists of all segments that are searched together may take of the budget. The rest is for their headers:
 * every search needs these, and to read one again takes longer than many lists.
 */
const LIST_SHARE = 0.6;
/** What the lists of one segment may take however small it is next to the others. */
const MIN_SHARE = 1 / 64;

interface KeptList {
  readonly list: PostingList;
  readonly bytes: number;
  isUsed: boolean;
}

/**
 * A segment in memory: its header, the posting lists that were asked for, the tombstones last applied to it, and of a
 * small one the rows of all its postings by their names.
 */
export class LoadedSegment {
  private appliedUpTo = 0;
  private applied: Tombstones | undefined;
  private readonly lists = new Map<string, KeptList>();
  private listBytes = 0;

  private readonly rowBytes: number;

  constructor(
    readonly segment: Segment,
    readonly rows?: ReadonlyMap<string, Uint8Array>,
  ) {
    this.rowBytes = [...(rows ?? [])].reduce((sum, [name, { length }]) => sum + name.length + length + ROW_BYTES, 0);
  }

  get byteSize(): number {
    return this.segment.byteSize + this.segment.chunkCount + this.listBytes + this.rowBytes;
  }

  findPostings(term: string): PostingList | undefined {
    const kept = this.lists.get(term);
    if (!kept) return undefined;
    kept.isUsed = true;
    return kept.list;
  }

  /**
   * Keeps lists, and evicts the oldest ones once all together exceed `maxBytes`; one that was used since it was last
   * looked at goes to the end instead (second chance: to note a use costs nothing that a search would feel).
   */
  keepPostings(postings: ReadonlyMap<string, PostingList>, maxBytes: number): void {
    for (const [term, list] of postings) {
      if (this.lists.has(term)) continue;
      const bytes = list.byteSize + term.length * 2 + LIST_ENTRY_BYTES;
      this.lists.set(term, { list, bytes, isUsed: false });
      this.listBytes += bytes;
    }
    for (const [term, kept] of this.lists) {
      if (this.listBytes <= maxBytes) return;
      this.lists.delete(term);
      if (kept.isUsed) this.lists.set(term, { ...kept, isUsed: false });
      else this.listBytes -= kept.bytes;
    }
  }

  /**
   * The withdrawn chunks of the segment under a shard's tombstones, which come latest first. The same object as before
   * while none was added: what is counted per tombstones stays valid. A tombstone is deleted only once no segment needs
   * it.
   */
  tombstones(ref: SegmentRef, tombstones: readonly Tombstone[]): Tombstones | undefined {
    const latest = tombstones[0]?.generation ?? 0;
    if (latest <= ref.sequence) return undefined;
    if (latest !== this.appliedUpTo) {
      this.applied = this.apply(ref, tombstones);
      this.appliedUpTo = latest;
    }
    return this.applied;
  }

  private apply(ref: SegmentRef, tombstones: readonly Tombstone[]): Tombstones | undefined {
    const { segment } = this;
    const dead = new Uint8Array(segment.chunkCount);
    let count = 0;
    let length = 0;
    for (const { chunkId, generation } of tombstones) {
      if (generation <= ref.sequence) break;
      const ordinal = segment.ordinalOf(chunkId);
      if (ordinal === undefined || dead[ordinal]) continue;
      dead[ordinal] = 1;
      count++;
      length += segment.lengths[ordinal]!;
    }
    if (count === 0) return undefined;
    return count === this.applied?.count ? this.applied : { dead, count, length };
  }
}

/** Unpacked segments by identity, within the cache budget. Segments never change, so entries never go stale. */
@Injectable()
export class SegmentCache {
  private readonly segments: ByteCache<LoadedSegment>;
  private readonly budgetBytes: number;
  private readonly lookups;

  constructor(budget: CacheBudget, @Inject(Metrics) metrics: Metrics) {
    this.budgetBytes = budget.bytes;
    this.segments = budget.open('segments', ({ byteSize }) => byteSize);
    this.lookups = metrics.counter('svc_index_cache_lookups_total', 'Posting lists that queries needed.', ['outcome']);
    metrics.gauge('svc_index_cache_segments', 'Index segments in memory.', [], (gauge) =>
      gauge.set(this.segments.values().length),
    );
  }

  find(segmentId: string): LoadedSegment | undefined {
    return this.segments.get(segmentId);
  }

  keep(segmentId: string, segment: LoadedSegment): void {
    this.segments.set(segmentId, segment);
  }

  /** @param part what the segment has, from 0 to 1, of all chunks that are searched together with it */
  keepPostings(
    segmentId: string,
    { segment, postings, part }: { segment: LoadedSegment; postings: ReadonlyMap<string, PostingList>; part: number },
  ): void {
    segment.keepPostings(postings, this.budgetBytes * Math.max(LIST_SHARE * part, MIN_SHARE));
    this.segments.set(segmentId, segment);
  }

  /** Counts the look-ups of one query. */
  count(hits: number, misses: number): void {
    if (hits > 0) this.lookups.inc({ outcome: 'hit' }, hits);
    if (misses > 0) this.lookups.inc({ outcome: 'miss' }, misses);
  }
}
