import { Inject, Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../common/database/unavailable.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { IndexingService } from '../retrieval/indexing.service.js';
import { AnalysisPool } from './analysis/analysis.pool.js';
import { ChunkIdKeys } from './analysis/chunk-id-keys.js';
import type { AnalysedGroup } from './analysis/analysis.types.js';
import { ChunksStore } from './chunks.store.js';
import { indexedEvents } from './ingest.events.js';
import { completionOf } from './ingest-receipts.rules.js';
import { IngestReceiptsService } from './ingest-receipts.service.js';
import {
  DELETED,
  INTERRUPTED,
  planPending,
  reasonToGiveUp,
  shardBatchesOf,
  shardChangesOf,
  slicesOf,
} from './ingest-indexing.rules.js';
import { IngestIndexingStore } from './ingest-indexing.store.js';
import type { AnalysedVersion, PendingVersion, ShardBatch } from './ingest-indexing.types.js';

/** A job that was lost twice may hold a document that takes the process down: from then on each is indexed alone. */
const ALONE_FROM_ATTEMPT = 2;

/**
 * Brings accepted versions into search. Everything is decided from rows, so that a job may run twice, in two processes
 * or after a kill, with one effect: a version is published exactly when its document is locked and still stands where
 * it stood when the version was analysed.
 */
@Injectable()
export class IngestIndexingService {
  private readonly outcomes;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: IngestIndexingStore,
    private readonly chunks: ChunksStore,
    private readonly analysis: AnalysisPool,
    private readonly idKeys: ChunkIdKeys,
    private readonly indexing: IndexingService,
    private readonly outbox: Outbox,
    private readonly receipts: IngestReceiptsService,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('svc_ingest_total', 'Ingests that ended, by outcome.', ['outcome']);
  }

  /**
   * Indexes the unfinished ones of a tenant's ingests. An invalid document fails alone.
   * @param attempt how often the job was tried before
   * @throws the first error that should be tried again; ingests it does not concern are finished
   */
  async index(tenantId: string, ingestIds: readonly string[], attempt: number): Promise<void> {
    const unfinished = await this.tenancy.run(tenantId, () => this.store.begin(ingestIds, attempt > 0));
    const faults: unknown[] = [];
    const slices = attempt < ALONE_FROM_ATTEMPT ? slicesOf(unfinished) : unfinished.map(({ ingestId }) => [ingestId]);
    for (const slice of slices) faults.push(...(await this.indexApart(tenantId, slice, attempt)));
    if (faults.length > 0) throw faults[0];
  }

  /** Ends ingests whose job was given up. */
  async giveUp(tenantId: string, ingestIds: readonly string[]): Promise<void> {
    await this.tenancy.run(tenantId, () => this.store.fail(ingestIds, INTERRUPTED, false));
  }

  /**
   * Indexes a slice in one go or, when that fails, document by document; answers the faults that should be tried again.
   */
  private async indexApart(tenantId: string, slice: readonly string[], attempt: number): Promise<unknown[]> {
    try {
      await this.indexTogether(tenantId, slice);
      return [];
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (slice.length === 1) return this.settleFault(tenantId, slice[0]!, error, attempt);
    }
    const faults: unknown[] = [];
    for (const ingestId of slice) faults.push(...(await this.indexApart(tenantId, [ingestId], attempt)));
    return faults;
  }

  private async settleFault(tenantId: string, ingestId: string, error: unknown, attempt: number): Promise<unknown[]> {
    const reason = reasonToGiveUp(error, attempt);
    this.log.error({ tenant: tenantId, ingest: ingestId, attempt, error }, 'an ingest could not be indexed');
    await this.tenancy.run(tenantId, () =>
      reason === undefined
        ? this.store.delay(ingestId, 'An attempt to index the document failed; it will be repeated.')
        : this.store.fail([ingestId], reason),
    );
    if (reason === undefined) return [error];
    this.outcomes.inc({ outcome: 'failed' });
    return [];
  }

  /**
   * Indexes ingests in one go, within the open unit of work where there is one: repeats load, analyse, publish until
   * nothing is pending. A document that moved meanwhile, or has older versions waiting, comes round again. One that
   * cannot be searched has its ingest fail.
   * @throws any other error; an open unit of work is lost then
   */
  async indexTogether(tenantId: string, ingestIds: readonly string[]): Promise<void> {
    for (;;) {
      const pending = await this.tenancy.run(tenantId, () => this.store.loadPending(ingestIds));
      const { done, deleted, next } = planPending(pending);
      if (done.length + deleted.length > 0) await this.tenancy.run(tenantId, () => this.settle(done, deleted));
      if (next.length > 0 && !(await this.publishAnalysed(tenantId, next))) continue;
      if (done.length + deleted.length + next.length === pending.length) return;
    }
  }

  /** @returns false when a document moved meanwhile, and nothing was done */
  private async publishAnalysed(tenantId: string, next: readonly PendingVersion[]): Promise<boolean> {
    const batches = shardBatchesOf(tenantId, next);
    const groups = batches.map(({ shard, inputs }) => ({ language: shard.language, documents: inputs }));
    const analysed = await this.analysis.analyse({ idKey: this.idKeys.keyOf(tenantId), groups });
    return this.tenancy.run(tenantId, () => this.publish(batches, analysed));
  }

  private async settle(done: readonly PendingVersion[], deleted: readonly PendingVersion[]): Promise<void> {
    if (done.length > 0) await this.store.complete(done.map((version) => version.ingestId));
    if (deleted.length > 0)
      await this.store.fail(
        deleted.map((version) => version.ingestId),
        DELETED,
      );
    this.tenancy.afterCommit(() => {
      this.outcomes.inc({ outcome: 'superseded' }, done.length);
      this.outcomes.inc({ outcome: 'failed' }, deleted.length);
    });
  }

  /**
   * Replaces the old versions by the new ones in this transaction, or does nothing when a document moved since it was
   * loaded.
   * @returns whether it did
   */
  private async publish(batches: readonly ShardBatch[], groups: readonly AnalysedGroup[]): Promise<boolean> {
    const all = batches.flatMap(({ versions }) => versions);
    if (!(await this.store.lockUnchanged(all))) return false;
    const analysed = batches.flatMap(({ versions }, group) =>
      versions.map((version, index): AnalysedVersion => ({ version, analysed: groups[group]!.documents[index]! })),
    );
    const empty = analysed.filter(({ analysed: { error } }) => error !== undefined);
    for (const [error, versions] of Map.groupBy(empty, ({ analysed: { error } }) => error!)) {
      await this.store.fail(
        versions.map(({ version }) => version.ingestId),
        error,
      );
    }
    const good = analysed.filter(({ analysed: { error } }) => error === undefined);
    if (good.length > 0) await this.replace(batches, groups, good);
    this.tenancy.afterCommit(() => {
      this.outcomes.inc({ outcome: 'failed' }, empty.length);
      this.outcomes.inc({ outcome: 'completed' }, good.length);
    });
    return true;
  }

  /**
   * Shards are changed one after another in their one order, so that two transactions cannot wait for each other. The
   * receipts come late, and after them only what names them: from there on others that index for the tenant wait for
   * this transaction.
   */
  private async replace(
    batches: readonly ShardBatch[],
    groups: readonly AnalysedGroup[],
    good: readonly AnalysedVersion[],
  ): Promise<void> {
    const replaced = good.map(({ version }) => version).filter((version) => version.currentVersion > 0);
    const retired = await this.chunks.retire(replaced);
    await this.chunks.record(good.map(({ version, analysed }) => ({ version, chunks: analysed.chunks })));
    for (const { shard, withdrawn, segment } of shardChangesOf(retired, batches, groups)) {
      await this.indexing.withdraw(shard, withdrawn);
      if (segment !== undefined) await this.indexing.add(shard, segment);
    }
    this.outbox.emitMany(indexedEvents(good, retired));
    const receipts = await this.receipts.record(good.map(({ version, analysed }) => completionOf(version, analysed)));
    await this.store.publish(good, receipts);
  }
}
