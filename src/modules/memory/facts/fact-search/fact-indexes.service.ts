import { Inject, Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../../common/caches/cache-budget.js';
import { NextReadings } from '../../../../common/caches/next-readings.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { FactIndexStore, type IndexState } from './fact-index.store.js';
import { FactIndexThreads } from './fact-index.threads.js';
import { FactSegment, type PackedSegment } from './fact-segment.js';
import { type FactView, TenantIndex } from './tenant-index.js';

/** A segment is gone: a merge replaced it. Look again. */
export class IndexMoved extends Error {}

/** Records beyond the segments that make a flush worth while. */
export const FLUSHED_AT_ONCE = 512;
/** A search gives up when the segments change this often while it reads them. */
const MAX_LOOKS = 8;

/**
 * The indexes of the tenants that were searched last, in memory within the cache budget; segments never change, so they
 * never go stale.
 */
@Injectable()
export class FactIndexes {
  /** Tenants seen with a long tail; the flush takes them from here. */
  readonly behind = new Set<string>();
  private readonly indexes: ByteCache<TenantIndex>;
  private readonly readings = new NextReadings<TenantIndex>();
  /** Tenants of which the reading that begins next is with the history. */
  private readonly withHistory = new Set<string>();
  private readonly postingBudget: number;

  constructor(
    private readonly store: FactIndexStore,
    private readonly threads: FactIndexThreads,
    budget: CacheBudget,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.postingBudget = budget.bytes / 2;
    this.indexes = budget.open('facts', ({ byteSize }) => byteSize);
    metrics.gauge('svc_fact_index_segments', 'Segments of facts in memory.', [], (gauge) =>
      gauge.set(this.sum((index) => index.storedCount)),
    );
    metrics.gauge('svc_fact_index_tail', 'Records in memory that no segment of facts holds yet.', [], (gauge) =>
      gauge.set(this.sum((index) => index.tailLength)),
    );
  }

  /**
   * The tenant's index with everything that was committed before the call. Calls that come while one is being read
   * share the next reading.
   * @throws SegmentCorrupted when a segment is not what was written
   */
  fresh(tenantId: string, withHistory: boolean): Promise<TenantIndex> {
    if (withHistory) this.withHistory.add(tenantId);
    return this.readings.next(tenantId, () => this.read(tenantId, this.withHistory.delete(tenantId)));
  }

  /** Releases what is in memory for a tenant. */
  forget(tenantId: string): void {
    this.indexes.delete(tenantId);
  }

  /**
   * Brings the postings of the terms into memory.
   * @throws IndexMoved when a segment is gone; SegmentCorrupted as `fresh` does
   */
  async openPostings(tenantId: string, views: readonly FactView[], terms: readonly string[]): Promise<void> {
    const wanted = views.flatMap((view) =>
      terms.flatMap((term) => {
        const range = view.postings.has(term) ? undefined : view.facts.rangeOf(term);
        return range && view.segmentId !== undefined ? [{ view, term, segmentId: view.segmentId, ...range }] : [];
      }),
    );
    if (wanted.length === 0) return;
    const found = await this.store.findPostings(tenantId, wanted);
    for (const [i, { view, term }] of wanted.entries()) {
      const bytes = found[i];
      if (!bytes) throw new IndexMoved();
      view.postings.set(term, view.facts.keepPostings(term, bytes));
    }
    const index = this.indexes.get(tenantId);
    if (index) this.keep(tenantId, index);
  }

  private async read(tenantId: string, withHistory: boolean): Promise<TenantIndex> {
    let index = this.indexes.get(tenantId) ?? new TenantIndex();
    for (let looks = 0; looks < MAX_LOOKS;) {
      const state = await this.store.readState(tenantId, index.generation, index.known);
      const next = state.segments ? index.movedTo(state.generation, state.flushedSeq, state.segments) : index;
      const isWhole = await this.complete(tenantId, next, state, withHistory);
      if (!isWhole) {
        looks++;
        continue;
      }
      index = next;
      const isDone = !state.hasMore && !index.lacksTail;
      index.lacksTail = false;
      if (isDone) return this.keep(tenantId, index);
    }
    throw new IndexMoved();
  }

  /** Loads what the index names and adds what was committed; false when a segment is gone meanwhile. */
  private async complete(
    tenantId: string,
    index: TenantIndex,
    { added }: IndexState,
    withHistory: boolean,
  ): Promise<boolean> {
    const absent = index.absent(withHistory);
    const loaded = new Map<string, FactSegment>();
    if (absent.length > 0) {
      const rows = await this.store.findSegments(
        tenantId,
        absent.map(({ segmentId }) => segmentId),
      );
      if (rows.length < absent.length) return false;
      for (const row of rows) loaded.set(row.segmentId, new FactSegment(row, row));
    }
    const packed: PackedSegment[] = added.length > 0 ? await this.threads.run({ kind: 'tail', facts: added }) : [];
    // From here on without waiting: a search sees all of it or nothing.
    if (loaded.size > 0) index.addStored(loaded);
    if (added.length > 0) index.addTail(added, packed);
    return true;
  }

  private keep(tenantId: string, index: TenantIndex): TenantIndex {
    if (index.tailLength >= FLUSHED_AT_ONCE) this.behind.add(tenantId);
    index.trim(this.postingBudget);
    this.indexes.set(tenantId, index);
    return index;
  }

  private sum(of: (index: TenantIndex) => number): number {
    return this.indexes.values().reduce((sum, index) => sum + of(index), 0);
  }
}
