import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../../common/database/unavailable.js';
import { areWritersDone } from '../../../../common/database/writers.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { planMerges } from '../../../../search/merge.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { Scheduler } from '../../../../common/scheduler/scheduler.js';
import { FactIndexes, FLUSHED_AT_ONCE } from './fact-indexes.service.js';
import { FactIndexThreads } from './fact-index.threads.js';
import { MAX_RECORDS } from './fact-index.store.js';
import { FactSegmentFlushStore } from './fact-segment-flush.store.js';
import type { SegmentRef } from './tenant-index.js';

const EVERY_MS = 1_000;
/** How often tenants are looked for whose facts are written but not searched here. */
const LOOK_EVERY_MS = 30_000;
/** Segments that would be larger than this together are not merged. */
const MAX_MERGED_FACTS = 2_000_000;

/**
 * Packs what was written into segments and merges them, in the background. Each step is one transaction that one
 * process at a time does for a tenant: killed at any moment, nothing is lost or there twice. Nobody waits for it.
 */
@Injectable()
export class FactSegmentFlush implements OnApplicationBootstrap, OnModuleDestroy {
  private isStopping = false;
  private lookAt = 0;
  private readonly flushes;
  private readonly merges;
  private readonly failures;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: FactSegmentFlushStore,
    private readonly indexes: FactIndexes,
    private readonly threads: FactIndexThreads,
    private readonly scheduler: Scheduler,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.flushes = metrics.counter('svc_fact_seals_total', 'Segments of facts that were sealed.');
    this.merges = metrics.counter('svc_fact_merges_total', 'Merges of segments of facts that were committed.');
    this.failures = metrics.counter('svc_fact_seal_failures_total', 'Steps of sealing and merging facts that failed.');
  }

  onApplicationBootstrap(): void {
    this.scheduler.every('facts.index', EVERY_MS, () => this.work());
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /**
   * Flushes everything that is committed and merges until the policy is content.
   * @param least records that are worth a segment
   */
  async settle(tenantId: string, least = 1): Promise<void> {
    while (!this.isStopping && (await this.step(tenantId, least)));
  }

  /** @returns whether there may be more to do */
  private async step(tenantId: string, least: number): Promise<boolean> {
    const flushed = await this.flush(tenantId, least);
    return flushed === MAX_RECORDS || this.merge(tenantId);
  }

  /**
   * Removes all segments, so that the facts are indexed again: for a damaged segment, and after the values of deleted
   * facts have been scrubbed.
   */
  async rebuild(tenantId: string): Promise<void> {
    await this.tenancy.run(tenantId, async () => {
      const { flushedSeq } = await this.store.readLine();
      if (await this.store.move(flushedSeq, 0)) await this.store.remove();
    });
    this.indexes.forget(tenantId);
    this.indexes.behind.add(tenantId);
  }

  private async work(): Promise<void> {
    const now = Date.now();
    if (now >= this.lookAt) {
      this.lookAt = now + LOOK_EVERY_MS;
      for (const tenantId of await this.store.findBehind(FLUSHED_AT_ONCE)) this.indexes.behind.add(tenantId);
    }
    // A tenant that is put back has its next turn after the others.
    for (const tenantId of this.indexes.behind) {
      if (this.isStopping || Date.now() >= this.lookAt) return;
      this.indexes.behind.delete(tenantId);
      try {
        if (await this.step(tenantId, FLUSHED_AT_ONCE)) this.indexes.behind.add(tenantId);
      } catch (error) {
        this.failures.inc();
        if (isDatabaseUnavailable(error)) throw error;
        this.log.error({ error, tenant_id: tenantId }, 'facts were not sealed');
      }
    }
  }

  /** Flushes the oldest records that no segment holds. @returns how many */
  private flush(tenantId: string, least: number): Promise<number> {
    return this.tenancy.run(tenantId, async () => {
      if (!(await this.store.tryLock())) return 0;
      const { flushedSeq, lastSeq } = await this.store.readLine();
      if (lastSeq <= flushedSeq || !(await this.areWritersDone())) return 0;
      const records = await this.store.findRecords(flushedSeq, lastSeq);
      if (records.length < least) return 0;
      const segments = await this.threads.run({ kind: 'flush', facts: records });
      if (!(await this.store.move(flushedSeq, records.at(-1)!.seq))) return 0;
      await this.store.record(segments);
      this.tenancy.afterCommit(() => this.flushes.inc(segments.length));
      return records.length;
    });
  }

  private areWritersDone(): Promise<boolean> {
    return areWritersDone(
      () => this.store.findWriters(),
      () => this.isStopping,
    );
  }

  /** Merges one group of segments. @returns whether there may be more to merge */
  private merge(tenantId: string): Promise<boolean> {
    return this.tenancy.run(tenantId, async () => {
      if (!(await this.store.tryLock())) return false;
      const group = groupToMerge(await this.store.findRefs());
      if (!group) return false;
      const { flushedSeq } = await this.store.readLine();
      const segments = await this.store.findPacked(group.segmentIds);
      if (segments.length < group.segmentIds.length) return true;
      const merged = await this.threads.run({ kind: 'merge', segments, isAll: group.isAll });
      await this.store.remove(group.segmentIds);
      await this.store.record(merged);
      if (!(await this.store.move(flushedSeq, flushedSeq))) throw new Error('the index was moved under its lock');
      this.tenancy.afterCommit(() => this.merges.inc());
      return true;
    });
  }
}

/** What is to be merged now, if anything: segments of one kind, and all of their kind when much of it is retired. */
function groupToMerge(refs: readonly SegmentRef[]): { segmentIds: string[]; isAll: boolean } | undefined {
  const kinds = new Map<string, SegmentRef[]>();
  for (const ref of refs) {
    const kind = `${ref.visibility} ${ref.isHistory}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), ref]);
  }
  for (const same of kinds.values()) {
    const retired = same.reduce((sum, { retireCount }) => sum + retireCount, 0);
    const sizes = new Map(same.map(({ segmentId, factCount }) => [segmentId, factCount]));
    const candidates = same.map(({ segmentId: id, factCount: chunkCount }) => ({ id, chunkCount }));
    const segmentIds = planMerges(candidates, retired).find(
      (ids) => ids.length > 1 && ids.reduce((sum, id) => sum + sizes.get(id)!, 0) <= MAX_MERGED_FACTS,
    );
    if (segmentIds) return { segmentIds, isAll: segmentIds.length === same.length };
  }
  return undefined;
}
