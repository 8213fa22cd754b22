import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Piscina } from 'piscina';
import { uuid } from '../../../../common/ids/uuid.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { type MergeInput, planMerges } from '../../../../search/merge.js';
import type { SegmentData } from '../../../../search/segment.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { builtFile } from '../../../../common/built-file.js';
import { IndexStore } from './index.store.js';
import type { ShardSnapshot } from './index.types.js';
import { WrittenSegments } from './written-segments.js';

/** While documents come one by one a small merge follows another, and a thread takes longer to start than to do one. */
const IDLE_MS = 10_000;

/** Another merge took one of the segments first: nothing to do. */
class Superseded extends Error {}

/**
 * Background merging. Writers never wait for it: what takes long runs before the shard is locked, and the lock is held
 * for a few small statements. A chunk withdrawn meanwhile stays withdrawn, because the merged segment's sequence is the
 * generation it was read at.
 */
@Injectable()
export class MergeService implements OnModuleInit, OnApplicationShutdown {
  private readonly threads: Piscina<MergeInput[], SegmentData>;
  private readonly merges;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly tenancy: Tenancy,
    private readonly store: IndexStore,
    private readonly written: WrittenSegments,
    private readonly jobs: Jobs,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.threads = new Piscina({
      filename: builtFile(import.meta.url, 'merge.worker.js'),
      minThreads: 0,
      maxThreads: Math.max(1, settings.retrieval.mergeConcurrency),
      idleTimeout: IDLE_MS,
    });
    this.merges = metrics.counter('svc_index_merges_total', 'Merges of index segments that were committed.');
  }

  async onModuleInit(): Promise<void> {
    const { mergeConcurrency } = this.settings.retrieval;
    if (mergeConcurrency === 0) return;
    await this.jobs.work<{ tenantId: string; shardId: string; isWhole?: boolean }>(
      'index.merge',
      { batchSize: 1, localConcurrency: mergeConcurrency },
      async (jobs) => {
        for (const { data } of jobs) await this.merge(data.tenantId, data.shardId, data.isWhole);
      },
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.destroy();
  }

  /**
   * Merges until the policy is content with the shard.
   * @param isWhole until no segment holds words of a passage that is out of search, however few they are
   */
  async merge(tenantId: string, shardId: string, isWhole = false): Promise<void> {
    for (;;) {
      const shard = await this.tenancy.run(tenantId, () => this.store.findShard(shardId));
      const segments = shard?.segments.map((s) => ({ id: s.segmentId, chunkCount: s.chunkCount })) ?? [];
      const isStale = isWhole && shard !== undefined && shard.tombstones.length > 0;
      const [group] = isStale ? [segments.map(({ id }) => id)] : planMerges(segments, shard?.tombstones.length ?? 0);
      if (!shard || !group) break;
      try {
        await this.mergeGroup(tenantId, shard, group);
      } catch (error) {
        if (!(error instanceof Superseded)) throw error;
      }
    }
    await this.tenancy.run(tenantId, async () => {
      if (isWhole) await this.store.forgetTombstones(shardId);
      await this.store.sweepGarbage();
    });
  }

  private async mergeGroup(tenantId: string, shard: ShardSnapshot, group: string[]): Promise<void> {
    const merged = await this.threads.run(await this.readInputs(tenantId, shard, group));
    await this.tenancy.run(tenantId, async () => {
      const segmentId = uuid();
      if (merged.chunkCount > 0) await this.store.recordPostings(segmentId, merged);
      await this.store.advance(shard);
      if (!(await this.store.retireSegments(group))) throw new Superseded();
      if (merged.chunkCount > 0) await this.store.recordSegment(shard.shardId, segmentId, shard.generation, merged);
      await this.store.forgetTombstones(shard.shardId);
      this.tenancy.afterCommit(() => {
        this.merges.inc();
        this.written.forget(group);
        if (merged.chunkCount > 0) this.written.keep(segmentId, merged);
      });
    });
  }

  /** The group's segments in the order of their commits, each with the withdrawals it does not hold yet. */
  private async readInputs(tenantId: string, shard: ShardSnapshot, group: string[]): Promise<MergeInput[]> {
    const inputs: MergeInput[] = [];
    for (const { segmentId, sequence } of shard.segments.filter((ref) => group.includes(ref.segmentId))) {
      const segment =
        this.written.find(segmentId) ??
        (await this.tenancy.run(tenantId, () => this.store.findSegment(segmentId, shard.language)));
      if (!segment) throw new Superseded();
      const withdrawn = shard.tombstones.filter(({ generation }) => generation > sequence);
      inputs.push({ segment, withdrawn: new Set(withdrawn.map(({ chunkId }) => chunkId)) });
    }
    return inputs;
  }
}
