import { Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../../common/caches/cache-budget.js';
import { plainSize } from '../../../../common/caches/plain-size.rules.js';
import { shardOf } from './index.store.js';
import type { IndexSnapshot, ShardSnapshot } from './index.types.js';
import { SnapshotsStore } from './snapshots.store.js';

/**
 * A snapshot, and whether it was taken after it was asked for; one that was not must be confirmed before it is answered
 * from.
 */
export interface TakenSnapshot {
  snapshot: IndexSnapshot;
  isFresh: boolean;
}

/**
 * What each tenant may search: remembered, and confirmed by every query in the round trip that fetches its passages.
 */
@Injectable()
export class SnapshotsService {
  private readonly byTenant: ByteCache<IndexSnapshot>;
  private readonly shards: ByteCache<ShardSnapshot>;
  private readonly underway = new Map<string, Promise<IndexSnapshot>>();

  constructor(
    private readonly store: SnapshotsStore,
    budget: CacheBudget,
  ) {
    this.byTenant = budget.open('snapshots', ({ state, shards }) => plainSize(state) + shards.length * 8);
    this.shards = budget.open<ShardSnapshot>('shards', plainSize);
  }

  /** The remembered snapshot, or a new one. */
  async find(tenantId: string): Promise<TakenSnapshot> {
    const snapshot = this.byTenant.get(tenantId);
    if (!snapshot) return this.refresh(tenantId);
    this.countShards(snapshot);
    return { snapshot, isFresh: false };
  }

  /**
   * A snapshot newer than the remembered one. Callers that come while one is being taken share it, and must confirm it;
   * under steady change they might never succeed, so a caller may take one `alone`.
   */
  async refresh(tenantId: string, alone = false): Promise<TakenSnapshot> {
    const underway = this.underway.get(tenantId);
    if (underway && !alone) return { snapshot: await underway, isFresh: false };
    const taking = this.take(tenantId);
    this.underway.set(tenantId, taking);
    const done = () => this.underway.get(tenantId) === taking && this.underway.delete(tenantId);
    taking.then(done, done);
    return { snapshot: await taking, isFresh: true };
  }

  private async take(tenantId: string): Promise<IndexSnapshot> {
    const known = this.byTenant.get(tenantId)?.shards ?? [];
    const rows = await this.store.readState(tenantId, known);
    const kept = new Map(known.map((shard) => [shard.shardId, shard]));
    const shards = rows.map((row) => {
      const earlier = kept.get(row.shard_id);
      return earlier && row.is_known ? earlier : this.remember(shardOf(row, earlier));
    });
    const state = shards.map(({ shardId, generation }) => `${shardId}:${generation}`).join(',');
    const snapshot = { state, shards };
    this.byTenant.set(tenantId, snapshot);
    this.countShards(snapshot);
    return snapshot;
  }

  /** Used after the snapshots that have them, shards are given up after these: what a snapshot holds is counted. */
  private countShards({ shards }: IndexSnapshot): void {
    for (const shard of shards) this.remember(shard);
  }

  /** One object a shard and generation: tenants that see the same commons share it. */
  private remember(shard: ShardSnapshot): ShardSnapshot {
    const before = this.shards.get(shard.shardId);
    if (before?.generation === shard.generation) return before;
    if (!before || before.generation < shard.generation) this.shards.set(shard.shardId, shard);
    return shard;
  }
}
