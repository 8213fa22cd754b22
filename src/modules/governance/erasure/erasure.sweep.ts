import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ErasureList } from '../../../common/erasures/erasure-list.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Problem } from '../../../common/problem/problem.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { allOf } from '../../../common/workers/all-of.js';
import { DueWork, FALLBACK_MS } from '../../../common/scheduler/due-work.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ErasureAnnouncements } from './erasure-announcements.service.js';
import { ErasureRuns } from './erasure-runs.service.js';
import { IndexRewrites } from './index-rewrites.service.js';

const EVERY_MS = 10_000;
/** Of servers that share the folder by mistake each knows its own erasures alone: a file is not taken at once. */
const PENDING_MS = 30 * 60_000;

/**
 * Ends what a process that died, or a restore, left: erasures that were asked for, files of the list under the name
 * that they have before the commit, and what a restore erased again, of which no receipt says so yet.
 */
@Injectable()
export class ErasureSweep implements OnApplicationBootstrap {
  private readonly list: ErasureList;
  /** Erasures that the log has named. */
  private readonly unlisted = new Set<string>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly announcements: ErasureAnnouncements,
    private readonly runs: ErasureRuns,
    private readonly rewrites: IndexRewrites,
    @Inject(LOG) private readonly log: Log,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.list = new ErasureList(settings);
  }

  onApplicationBootstrap(): void {
    this.scheduler.every('erasures', EVERY_MS, () => this.sweep());
    const askedFor = this.scheduler.every('erasures asked for', FALLBACK_MS, () => this.goOn());
    this.dueWork.when(
      () => `exists (${ASKED_FOR})`,
      () => askedFor.wake(),
      { everyMs: EVERY_MS },
    );
  }

  async sweep(): Promise<void> {
    this.list.begin();
    await this.announceRestored();
    await this.rewriteIndex();
    const pending = this.list.listPending();
    if (pending.length === 0) return;
    const found = await this.crossTenant.run('erasures', (query) =>
      query<{ erasure_id: string; is_done: boolean }>(KNOWN, [pending]),
    );
    const known = new Map(found.map(({ erasure_id, is_done }) => [erasure_id, is_done]));
    for (const erasureId of pending)
      if (known.get(erasureId)) this.list.settle(erasureId);
      else if (!known.has(erasureId)) this.list.discardOlder(erasureId, PENDING_MS);
  }

  /**
   * What a restore erased again waits for its receipt. The rows alone count for nothing, since whoever can write them
   * could have the server sign that what he deleted was erased: the list, which is outside of the database, has to
   * have the erasure, and no receipt may speak of it yet.
   */
  private async announceRestored(): Promise<void> {
    const waiting = await this.crossTenant.run('erasures', (query) =>
      query<{ tenant_id: string; erasure_id: string }>(WAITING),
    );
    if (waiting.length === 0) return;
    const listed = new Map(this.list.read().subjects.map((kept) => [kept.erasure_id, kept.tenant_id]));
    for (const { tenant_id: tenantId, erasure_id: erasureId } of waiting) {
      const isOurs =
        listed.get(erasureId) === tenantId &&
        (await this.tenancy.run(tenantId, async () => {
          await this.tenancy.lock('erasure');
          if (await this.announcements.isSaid(erasureId)) return false;
          await this.announcements.announce(erasureId, 'svc:erasure', 'system');
          return true;
        }));
      if (isOurs || this.unlisted.has(erasureId)) continue;
      this.unlisted.add(erasureId);
      this.log.error(
        { tenant_id: tenantId, erasure_id: erasureId, list: this.list.place },
        'rows say that an erasure removed records, and no erasure of the list waits to say so: it is not signed',
      );
    }
  }

  /** Erasures that were asked for, and that no process is at: one that lasts keeps no other tenant's waiting. */
  async goOn(): Promise<void> {
    const waiting = await this.crossTenant.run('erasures', (query) =>
      query<{ tenant_id: string; erasure_id: string }>(ASKED_FOR),
    );
    const runs = waiting.map(({ tenant_id: tenantId, erasure_id: erasureId }) =>
      this.runs.run(tenantId, erasureId).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        this.log.info({ erasure_id: erasureId, problem: error.message }, 'an erasure was refused');
      }),
    );
    await allOf(runs);
  }

  /** A restore has no queue to ask for it by; one that waits already is not asked for twice. */
  private async rewriteIndex(): Promise<void> {
    const shards = await this.crossTenant.run('erasures', (query) =>
      query<{ tenant_id: string; shard_id: string }>(STALE_SHARDS),
    );
    await eachInTurn(shards, ({ tenant_id: tenantId, shard_id: shardId }) =>
      this.tenancy.run(tenantId, () => this.rewrites.request(shardId)),
    );
  }
}

/** In one statement, since the request of one goes as the erasure is committed. */
const KNOWN = `
  select erasure_id, true as is_done from erasure where erasure_id = any($1::uuid[])
  union all select erasure_id, false from erasure_request where erasure_id = any($1::uuid[]) and state = 'running'`;
/** Of passages that are not there any more, while an erasure waits for them. */
const STALE_SHARDS = `
  select distinct t.tenant_id, t.shard_id from index_tombstone t
  where exists (select from scrub s where s.finished_at is null)
    and not exists (select from chunk c where c.tenant_id = t.tenant_id and c.chunk_id = t.chunk_id)`;
/** The process that takes a request begins at once; one that waits has lost it. */
const ASKED_FOR = `
  select tenant_id, erasure_id from erasure_request where state = 'running' and requested_at < now() - interval '2 seconds' and due_at <= now() order by requested_at limit 1000`;
const WAITING = `
  select tenant_id, erasure_id from erased_receipt where announced_by is null
  union select tenant_id, erasure_id from erased_fact where announced_by is null
  union select tenant_id, erasure_id from erased_document where announced_by is null limit 1000`;
