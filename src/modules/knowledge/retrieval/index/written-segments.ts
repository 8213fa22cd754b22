import { Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../../common/caches/cache-budget.js';
import type { SegmentData } from '../../../../search/segment.js';

/** What they may take of the budget: a tenant that brings in much is not to drive out what others search. */
const SHARE = 0.25;
/** What the name of a row takes. */
const NAME_BYTES = 40;
/** Small ones are not to be so many that their names count. */
const MAX_SEGMENTS = 4096;

/**
 * Segments that this process wrote, as they are stored. They are merged soon, and asked for by whoever looks for what
 * was just brought in: neither has to read them from the database again.
 */
@Injectable()
export class WrittenSegments {
  private readonly segments: ByteCache<SegmentData>;
  /** The oldest first; the budget may have given some of them up. */
  private readonly ids = new Set<string>();
  private readonly maxBytes: number;

  constructor(budget: CacheBudget) {
    this.segments = budget.open('written_segments', sizeOf);
    this.maxBytes = budget.bytes * SHARE;
  }

  /** Keeps a committed segment, unless it is too large. The oldest go first: another process may have merged them. */
  keep(segmentId: string, segment: SegmentData): void {
    if (sizeOf(segment) > this.maxBytes / 2) return;
    this.segments.set(segmentId, segment);
    this.ids.add(segmentId);
    for (const oldest of this.ids) {
      if (this.segments.bytes <= this.maxBytes && this.ids.size <= MAX_SEGMENTS) return;
      this.forget([oldest]);
    }
  }

  find(segmentId: string): SegmentData | undefined {
    return this.segments.get(segmentId);
  }

  /** Of segments that a merge replaced. */
  forget(segmentIds: readonly string[]): void {
    for (const segmentId of segmentIds) {
      this.segments.delete(segmentId);
      this.ids.delete(segmentId);
    }
  }
}

const sizeOf = ({ header, postings, offsets, rows }: SegmentData): number =>
  header.length + postings.length + offsets.byteLength + rows.length * NAME_BYTES;
