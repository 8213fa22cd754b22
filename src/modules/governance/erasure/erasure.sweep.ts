import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ErasureAnnouncements } from './erasure-announcements.service.js';
import { ErasureList } from './erasure-list.js';

const EVERY_MS = 10_000;
/** A unit of work that prepared its file and has not ended takes no longer. */
const PENDING_MS = 30 * 60_000;

/**
 * Ends what a process that died, or a restore, left: files of the list under the name that they have before the commit,
 * and records of the evidence that no receipt says are erased.
 */
@Injectable()
export class ErasureSweep implements OnApplicationBootstrap {
  private readonly list: ErasureList;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly announcements: ErasureAnnouncements,
    private readonly jobs: Jobs,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.list = new ErasureList(settings);
  }

  onApplicationBootstrap(): void {
    this.scheduler.every('erasures', EVERY_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    for (const { tenant_id: tenantId } of await this.crossTenant.run('erasures', (query) =>
      query<{ tenant_id: string }>(WAITING),
    ))
      await this.tenancy.run(tenantId, async () => {
        await this.tenancy.lock('erasure');
        await this.announcements.announce('svc:erasure', 'system');
      });
    this.list.begin();
    await this.rewriteIndex();
    const pending = this.list.listPending();
    if (pending.length === 0) return;
    const found = await this.crossTenant.run('erasures', (query) =>
      query<{ erasure_id: string }>('select erasure_id from erasure where erasure_id = any($1::uuid[])', [pending]),
    );
    const committed = new Set(found.map(({ erasure_id }) => erasure_id));
    for (const erasureId of pending)
      if (committed.has(erasureId)) this.list.settle(erasureId);
      else this.list.discardOlder(erasureId, PENDING_MS);
  }

  /** A restore has no queue to ask for it by; one that waits already is not asked for twice. */
  private async rewriteIndex(): Promise<void> {
    const shards = await this.crossTenant.run('erasures', (query) =>
      query<{ tenant_id: string; shard_id: string }>(STALE_SHARDS),
    );
    for (const { tenant_id: tenantId, shard_id: shardId } of shards)
      await this.tenancy.run(tenantId, () =>
        this.jobs.send('index.merge', { tenantId, shardId, isWhole: true }, { singletonKey: `whole ${shardId}` }),
      );
  }
}

/** Of passages that are not there any more, while an erasure waits for them. */
const STALE_SHARDS = `
  select distinct t.tenant_id, t.shard_id from index_tombstone t
  where exists (select from scrub s where s.finished_at is null)
    and not exists (select from chunk c where c.tenant_id = t.tenant_id and c.chunk_id = t.chunk_id)`;
const WAITING = `
  select distinct tenant_id from erased_receipt where announced_by is null
  union select distinct tenant_id from erased_fact where announced_by is null`;
