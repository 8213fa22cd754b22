import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ErasureList, type KeptErasure } from '../../../common/erasures/erasure-list.js';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { isCanceled, isDatabaseUnavailable } from '../../../common/database/unavailable.js';
import { ERASURE_STREAM } from '../../../common/evidence-log/removed-records.js';
import { heldRowOf } from '../../../common/legal-holds/held-rows.js';
import { HoldRefusals } from '../../../common/legal-holds/hold-refusals.service.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { requestScrub, ScrubSweep } from '../../../common/scrub/scrub.sweep.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { FairQueue } from '../../../common/workers/fair-queue.js';
import { ErasureAnnouncements } from './erasure-announcements.service.js';
import { ErasureRequestRow } from './erasure-request.entity.js';
import { ErasureRow } from './erasure.entity.js';
import { ErasureListUnwritable } from './erasure.problems.js';
import type { ErasedCounts, SubjectSelector } from './erasure.types.js';
import { IndexRewrites } from './index-rewrites.service.js';
import { keptOf } from './kept-erasures.js';
import { SubjectEraser } from './subject-eraser.js';

/**
 * Erasures of a process at once: each has a connection for as long as it takes, which may be minutes. Those of a tenant
 * wait for each other without one: PostgreSQL would do one at a time of them all the same.
 */
const TURNS = { atOnce: 4, ofClient: 1 };
/** Of one that ends by an error that is neither a hold's nor the list's, and does not pass by itself. */
const MAX_ATTEMPTS = 5;

/**
 * Does an erasure that was asked for: one transaction removes the subject, the request with its names, and leaves the
 * receipt. The lock on the request's row is the claim, so that a process that dies gives it back by dying.
 */
@Injectable()
export class ErasureRuns {
  private readonly requests: TenantRepository<ErasureRequestRow>;
  private readonly erasures: TenantRepository<ErasureRow>;
  private readonly list: ErasureList;
  private readonly turns = new FairQueue(TURNS);

  constructor(
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly announcements: ErasureAnnouncements,
    private readonly rewrites: IndexRewrites,
    private readonly refusals: HoldRefusals,
    private readonly scrubs: ScrubSweep,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.requests = new TenantRepository(tenancy, ErasureRequestRow);
    this.erasures = new TenantRepository(tenancy, ErasureRow);
    this.list = new ErasureList(settings);
  }

  /**
   * Does nothing where it is done, or another process is at it. An unknown error leaves it to the next attempt.
   * @throws LegalHold, ErasureListUnwritable: nothing was removed, and nothing will be
   */
  run(tenantId: string, erasureId: string): Promise<void> {
    return this.turns.run(tenantId, 0, () => this.attempt(tenantId, erasureId));
  }

  private async attempt(tenantId: string, erasureId: string): Promise<void> {
    let by: Actor | undefined;
    try {
      await this.tenancy.run(tenantId, async () => {
        const request = await this.claim(erasureId);
        if (!request) return;
        by = actorOf(request);
        await this.remove(by, erasureId, request.selector!);
      });
    } catch (error) {
      await this.settle(tenantId, erasureId, { error, by });
    }
  }

  private async claim(erasureId: string): Promise<ErasureRequestRow | undefined> {
    const free = await this.tenancy.query(
      `select from erasure_request where tenant_id = $1 and erasure_id = $2 and state = 'running' and due_at <= now() for update skip locked`,
      [this.tenancy.tenant, erasureId],
    );
    return free.length === 0 ? undefined : this.requests.find({ erasureId });
  }

  private async remove(by: Actor, erasureId: string, selector: SubjectSelector): Promise<void> {
    // A subject may stand in many rows: the limit of single statements is for requests of a moment.
    await this.tenancy.query(`set local statement_timeout = '15min'`);
    await this.tenancy.lock('erasure');
    await this.requests.delete({ erasureId });
    // A restore has done it already, by the list.
    if (await this.erasures.has({ erasureId })) return;
    await this.announcements.expectNone(erasureId);
    const kept = this.prepareList(by, erasureId, selector);
    const { counts, shards } = await new SubjectEraser(this.query, this.tenancy.tenant).erase(erasureId, selector);
    for (const shardId of shards) await this.rewrites.request(shardId);
    await this.announcements.announce(erasureId, by.principal, by.authType);
    await this.keep(by, erasureId, counts);
    this.tenancy.afterCommit(() => this.scrubs.wake());
    this.tenancy.afterCommit(() => {
      if (this.list.settle(erasureId)) return;
      // Somebody has taken the file away.
      this.list.prepare(kept);
      this.list.settle(erasureId);
    });
  }

  /** The proof, which has numbers alone. */
  private async keep(by: Actor, erasureId: string, counts: ErasedCounts): Promise<void> {
    const scrubId = await requestScrub(this.query, 'subject');
    const { receiptId } = await this.audit.record(by, {
      kind: 'erasure.completed',
      subject: erasureId,
      stream: ERASURE_STREAM,
      facts: { erasureId },
      receipt: { counts },
      event: { counts },
    });
    await this.erasures.insert({ erasureId, erasedBy: by.principal, counts, receiptId, scrubId });
  }

  /** On disk before anything is committed. @throws ErasureListUnwritable */
  private prepareList({ principal }: Actor, erasureId: string, selector: SubjectSelector): KeptErasure {
    const erased_at = new Date().toISOString();
    const header = { erasure_id: erasureId, tenant_id: this.tenancy.tenant, erased_at, erased_by: principal };
    const kept = keptOf(header, selector);
    try {
      // Of an attempt that died.
      this.list.discard(erasureId);
      this.list.prepare(kept);
      return kept;
    } catch (error) {
      throw new ErasureListUnwritable(
        {},
        `Nothing was erased, since a restored backup would bring it back: ${(error as NodeJS.ErrnoException).code ?? 'the folder cannot be written'} in the folder of kept checkpoints`,
      );
    }
  }

  /** What becomes of a request whose transaction was rolled back. @throws what its caller is to be answered */
  private async settle(
    tenantId: string,
    erasureId: string,
    { error, by }: { error: unknown; by: Actor | undefined },
  ): Promise<void> {
    const isPassing = isDatabaseUnavailable(error);
    // Where the connection broke it may have been committed: the sweep finds out.
    if (!isPassing) this.list.discard(erasureId);
    const held = heldRowOf(error);
    if (held && by) {
      const refusal = await this.refusals.refuse(by, held);
      await this.end(tenantId, erasureId, { state: 'refused', holdIds: held.holdIds, reason: refusal.message });
      throw refusal;
    }
    if (error instanceof ErasureListUnwritable) {
      await this.end(tenantId, erasureId, { state: 'failed', reason: error.message });
      throw error;
    }
    this.log.error({ error, erasure_id: erasureId }, 'an erasure failed and is tried again');
    // A full disk, a deadlock, a database that starts again; not a statement that takes more than its time each time.
    if (isPassing && !isCanceled(error)) return;
    await this.tenancy.run(tenantId, () => this.tenancy.query(FAILED, [tenantId, erasureId, MAX_ATTEMPTS]));
  }

  private async end(
    tenantId: string,
    erasureId: string,
    as: Partial<Pick<ErasureRequestRow, 'state' | 'holdIds' | 'reason'>>,
  ): Promise<void> {
    await this.tenancy.run(tenantId, () => this.requests.updateMany({ erasureId }, { ...as, selector: null }));
  }

  private readonly query: Query = (sql, parameters) => this.tenancy.query(sql, parameters);
}

const actorOf = ({ requestedBy, authMode, sessionId }: ErasureRequestRow): Actor => ({
  principal: requestedBy,
  authType: authMode,
  ...(sessionId === null ? {} : { agentSession: sessionId }),
});

/** Tried again after a minute, then each time after five times as long. */
const FAILED = `
  update erasure_request set attempts = attempts + 1, due_at = now() + interval '1 minute' * 5 ^ attempts,
    state = case when attempts + 1 >= $3 then 'failed' else state end,
    selector = case when attempts + 1 >= $3 then null else selector end,
    reason = 'it ended by an error, which the log of the server has'
  where tenant_id = $1 and erasure_id = $2 and state = 'running'`;
