import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../../common/evidence-log/audit-trail.js';
import { RequestGroups } from '../../../../common/tenancy/request-groups.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { LeaseRow } from '../../leases/leases.types.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { isMoveGated, stateAfterLease } from './claims.rules.js';
import { ClaimsStore } from './claims.store.js';
import { type ClaimedItem, DEFERRED, type Deferred, type HeldItem, type NextClaim } from './claims.types.js';
import { WorkLeasesService } from './work-leases.service.js';

/** Something that the holder of an item wants. */
export interface OfHeld {
  by: Actor;
  workId: string;
  fence: number;
  /** Under the item's lock. @returns whether it is the caller's to ask for */
  isAllowed: (item: WorkItemRow) => boolean;
}
export interface ReleaseAsked extends OfHeld {
  reason: string | undefined;
}
export interface RenewalAsked extends OfHeld {
  ttlSeconds: number;
}

type Alone<Done> = () => Promise<Done>;

/** Requests of one transaction, which holds the items of all of them. */
const MAX_TOGETHER = 32;

/**
 * Group commit of leases of work items: what callers of a tenant ask for at the same time is done in one transaction.
 * Nothing is waited for there, so that none holds up the others, and two processes never wait for each other: whatever
 * is not free, or not to be granted, is deferred to a transaction of its own.
 */
@Injectable()
export class GroupedLeasesService {
  private readonly claims = this.groupOf<NextClaim, ClaimedItem | undefined>((asked) => this.claimAll(asked));
  private readonly releases = this.groupOf<ReleaseAsked, WorkItemRow>((asked) => this.releaseAll(asked));
  private readonly renewals = this.groupOf<RenewalAsked, LeaseRow>((asked) => this.renewAll(asked));

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ClaimsStore,
    private readonly workLeases: WorkLeasesService,
  ) {}

  /** @param alone does it in the open unit of work. @returns undefined where nothing is ready */
  claimNext(tenantId: string, asked: NextClaim, alone: Alone<ClaimedItem | undefined>) {
    return this.orAlone(tenantId, this.claims.add(tenantId, { ...asked, tenantId }), alone);
  }

  /** @returns the item as it is now */
  release(tenantId: string, asked: ReleaseAsked, alone: Alone<WorkItemRow>): Promise<WorkItemRow> {
    return this.orAlone(tenantId, this.releases.add(tenantId, { ...asked, tenantId }), alone);
  }

  renew(tenantId: string, asked: RenewalAsked, alone: Alone<LeaseRow>): Promise<LeaseRow> {
    return this.orAlone(tenantId, this.renewals.add(tenantId, { ...asked, tenantId }), alone);
  }

  private async orAlone<Done>(tenantId: string, together: Promise<Done | Deferred>, alone: Alone<Done>): Promise<Done> {
    const done = await together;
    return done === DEFERRED ? this.tenancy.run(tenantId, alone) : done;
  }

  private groupOf<Asked, Done>(work: (asked: readonly Asked[]) => Promise<(Done | Deferred)[]>) {
    return new RequestGroups<Asked & { tenantId: string }, Done | Deferred>({
      take: ({ length }) => Math.min(length, MAX_TOGETHER),
      run: (asked) => this.tenancy.run(asked[0]!.tenantId, () => work(asked)),
    });
  }

  private async claimAll(asked: readonly NextClaim[]): Promise<(ClaimedItem | undefined | Deferred)[]> {
    const found = await this.store.claimNextOfEach(asked);
    const granted = asked.flatMap(({ by, claimant }, n) => {
      const item = found[n];
      return item && item !== DEFERRED ? [{ by, claimant, item, from: 'ready' as const }] : [];
    });
    const claimed = await this.workLeases.recordClaims(granted);
    return found.map((item) => (item && item !== DEFERRED ? claimed.shift() : item));
  }

  private async releaseAll(asked: readonly ReleaseAsked[]): Promise<(WorkItemRow | Deferred)[]> {
    const held = await this.lockHeld(asked);
    for (const [one, { item, gatedMoves }] of held)
      if (isMoveGated(item.state, stateAfterLease(item.state), gatedMoves)) held.delete(one);
    const releases = [...held].map(([{ by, reason }, item]) => ({ ...item, by, reason }));
    const after = new Map((await this.workLeases.release(releases)).map((item) => [item.workId, item]));
    return asked.map((one) => (held.has(one) && after.get(one.workId)) || DEFERRED);
  }

  private async renewAll(asked: readonly RenewalAsked[]): Promise<(LeaseRow | Deferred)[]> {
    const held = await this.lockHeld(asked);
    const renewals = [...held].map(([{ by, ttlSeconds }, { item }]) => ({ by, item, ttlSeconds }));
    const renewed = await this.workLeases.renewAll(renewals);
    return asked.map((one) => (held.has(one) && renewed.get(one.workId)) || DEFERRED);
  }

  /** Those whose item is free and held as they say. Of two that name the same item the first. */
  private async lockHeld<Asked extends OfHeld>(asked: readonly Asked[]): Promise<Map<Asked, HeldItem>> {
    const locked = await this.store.lockHeld(asked.map(({ workId }) => workId));
    const held = new Map<Asked, HeldItem>();
    for (const one of asked) {
      const found = locked.get(one.workId);
      if (!found?.isLeaseLive || found.item.leaseFence !== one.fence || !one.isAllowed(found.item)) continue;
      held.set(one, found);
      locked.delete(one.workId);
    }
    return held;
  }
}
