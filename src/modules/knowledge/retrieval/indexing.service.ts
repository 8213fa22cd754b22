import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { planMerges } from '../../../search/merge.js';
import type { SegmentData } from '../../../search/segment.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { IndexStore } from './index/index.store.js';
import type { ShardKey } from './index/index.types.js';
import { WrittenSegments } from './index/written-segments.js';
import { EmbeddingService } from './vectors/embedding.service.js';
import { VectorsStore } from './vectors/vectors.store.js';

/** What a merge is taken to last. */
const MERGE_LASTS_MS = 500;

/**
 * How documents get into the index and out of it: inside the caller's unit of work, searchable or gone from its commit
 * on, in every process.
 * Changing a shard locks its row until the commit; who changes several shards takes them in a fixed order.
 */
@Injectable()
export class IndexingService {
  constructor(
    private readonly store: IndexStore,
    private readonly written: WrittenSegments,
    private readonly embedding: EmbeddingService,
    private readonly vectors: VectorsStore,
    private readonly tenancy: Tenancy,
    private readonly jobs: Jobs,
  ) {}

  /** Adds a segment of new chunks. In one unit of work, {@link withdraw} comes first. */
  async add(shard: ShardKey, segment: SegmentData): Promise<void> {
    if (segment.chunkCount === 0) return;
    const segmentId = uuid();
    await this.store.recordPostings(segmentId, segment);
    const { shardId, generation } = await this.store.advance(shard);
    await this.store.recordSegment(shardId, segmentId, generation, segment);
    this.tenancy.afterCommit(() => this.written.keep(segmentId, segment));
    await this.embedding.request(shardId, segment.chunkCount);
    await this.mergeWhenDue(shardId);
  }

  /** Takes chunks out of search. Ids the shard does not have do no harm. */
  async withdraw(shard: ShardKey, chunkIds: readonly string[]): Promise<void> {
    if (chunkIds.length === 0) return;
    const { shardId, generation } = await this.store.advance(shard);
    await this.store.recordTombstones(shardId, chunkIds, generation);
    await this.vectors.withdraw(chunkIds);
    await this.mergeWhenDue(shardId);
  }

  /** At most one merge a shard waits in the queue, however many commits ask for it. */
  private async mergeWhenDue(shardId: string): Promise<void> {
    const { segments, withdrawn } = await this.store.readSizes(shardId);
    if (planMerges(segments, withdrawn).length === 0) return;
    const job = { tenantId: this.tenancy.tenant, shardId };
    await this.jobs.send('index.merge', job, { singletonKey: shardId, lastsMs: MERGE_LASTS_MS });
  }
}
