import { Inject, Injectable } from '@nestjs/common';
import { boundedCache } from '../../../common/caches/bounded-cache.js';
import { type ByteCache, CacheBudget } from '../../../common/caches/cache-budget.js';
import { NextReadings } from '../../../common/caches/next-readings.js';
import { type QueryVector, VectorSpaces } from '../../../common/embeddings/vector-spaces.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { MemoryVectorsStore } from './memory-vectors.store.js';
import type { NearItem, VectorReader } from './memory-vectors.types.js';
import { VectorList } from './vector-list.js';

/** Of the first answer; each later one is larger. */
const FIRST = 100;
const GROWTH = 4;
const MAX_NEAR = 10_000;
/** How long a tenant with more vectors than there is memory for is ranked by words before it is looked at again. */
const LEFT_ALONE_MS = 60_000;

/**
 * Records of a tenant's memory by meaning: in the database with pgvector, otherwise by comparing with all that the
 * reader may see.
 */
@Injectable()
export class MemoryNearestService {
  private readonly lists: ByteCache<VectorList>;
  private readonly tooLarge = boundedCache<true>(10_000, LEFT_ALONE_MS);
  private readonly readings = new NextReadings<VectorList>();

  constructor(
    private readonly spaces: VectorSpaces,
    private readonly store: MemoryVectorsStore,
    private readonly budget: CacheBudget,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.lists = budget.open('memory_vectors', ({ byteSize }) => byteSize);
  }

  /** The query's vector; none without an endpoint, or while it fails. */
  embedQuery(query: string): Promise<QueryVector | undefined> {
    return this.spaces.embedQuery(query);
  }

  /** In blocks, nearest first, none of them twice. @param among ids among which they are */
  async *find(
    reader: VectorReader,
    kind: string,
    { space, vector }: QueryVector,
    among?: readonly string[],
  ): AsyncGenerator<NearItem[]> {
    const of = { spaceId: space.spaceId, kind };
    // Among few, all are compared: the index of the database may not come to them in time.
    if (!among && (await this.store.hasPgvector())) {
      yield* this.findInDatabase(reader, of, vector);
      return;
    }
    const list = await this.fresh(reader.tenantId, of);
    const near = list.nearest(vector, reader, among);
    let from = 0;
    for (let size = FIRST; from < Math.min(near.length, MAX_NEAR); size *= GROWTH) {
      yield near.slice(from, from + size);
      from += size;
    }
  }

  private async *findInDatabase(
    reader: VectorReader,
    of: { spaceId: number; kind: string },
    vector: Float32Array,
  ): AsyncGenerator<NearItem[]> {
    const seen = new Set<string>();
    for (let limit = FIRST; limit <= MAX_NEAR; limit *= GROWTH) {
      const near = await this.store.findNearest(reader, of, vector, limit);
      yield near.filter(({ itemId }) => !seen.has(itemId));
      if (near.length < limit) return;
      for (const { itemId } of near) seen.add(itemId);
    }
  }

  /** With everything that was committed before the call. */
  private fresh(tenantId: string, of: { spaceId: number; kind: string }): Promise<VectorList> {
    const name = `${of.spaceId} ${of.kind} ${tenantId}`;
    return this.readings.next(name, () => this.read(name, tenantId, of));
  }

  private async read(name: string, tenantId: string, of: { spaceId: number; kind: string }): Promise<VectorList> {
    const list = this.lists.get(name) ?? new VectorList();
    if (this.tooLarge.has(name)) return new VectorList();
    for (;;) {
      const { rows, removals, hasMore } = await this.store.findAdded(tenantId, of, list);
      if (removals !== list.removals) list.clear();
      list.removals = removals;
      list.add(rows);
      if (!hasMore) break;
      if (list.byteSize > this.budget.bytes) return this.giveUp(name, tenantId);
    }
    this.lists.set(name, list);
    return list;
  }

  private giveUp(name: string, tenantId: string): VectorList {
    this.tooLarge.set(name, true);
    this.lists.delete(name);
    this.log.warn(
      { tenant_id: tenantId },
      'a tenant has more vectors than SVC_CACHE_MIB holds; words alone rank. Raise it, or install pgvector',
    );
    return new VectorList();
  }
}
