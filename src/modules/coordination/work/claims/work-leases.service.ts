import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { AuditTrail, type Actor } from '../../../../common/evidence-log/audit-trail.js';
import { endingFacts, leaseEntry, type LeaseFacts } from '../../leases/leases.events.js';
import { LEASE_SWEEP, LeasesService } from '../../leases/leases.service.js';
import type { LeaseEnd } from '../../leases/lease-states.types.js';
import type { LeaseEnding, LeaseRow } from '../../leases/leases.types.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { ClaimsStore, type Move } from './claims.store.js';
import { stateAfterLease } from './claims.rules.js';
import type { Claimant, ClaimedItem, Granted, Releasing, Renewing } from './claims.types.js';

/** The leases of work items with the items themselves, in the open unit of work. The items are locked already. */
@Injectable()
export class WorkLeasesService {
  constructor(
    private readonly store: ClaimsStore,
    private readonly leases: LeasesService,
    private readonly audit: AuditTrail,
  ) {}

  /** Of an item that nobody holds; the lease of one that is over is ended first. */
  async claim(by: Actor, item: WorkItemRow, claimant: Claimant): Promise<ClaimedItem> {
    const free = item.leaseFence === null ? item : (await this.expire([item]))[0]!;
    const taken = await this.store.claim(free.workId, claimant);
    return (await this.recordClaims([{ by, item: taken, claimant, from: free.state }]))[0]!;
  }

  /** Of items that were claimed a moment ago. @returns in their order */
  async recordClaims(claims: readonly Granted[]): Promise<ClaimedItem[]> {
    if (claims.length === 0) return [];
    const claimed = claims.map((claim) => ({ ...claim, lease: leaseOf(claim.item, claim.claimant) }));
    const entries = claimed.map(({ by, item, lease, from }) => {
      return { ...leaseEntry('granted', lease, { from, to: item.state, version: item.version }), by };
    });
    const records = await this.audit.recordAll(entries);
    const moves = claimed.map(({ by, item: { workId, state: to, version }, lease, claimant: { holder }, from }, n) => {
      const move = moveOf(by, lease, { workId, from, to, version, receiptId: records[n]!.receiptId });
      return { ...move, passport: holder, assignee: holder, begins: true } as const;
    });
    await this.store.recordMoves(moves);
    return claimed;
  }

  /** @throws LeaseEnded where its time is over */
  async renew(by: Actor, item: WorkItemRow, ttlSeconds: number): Promise<LeaseRow> {
    const lease = (await this.renewAll([{ by, item, ttlSeconds }])).get(item.workId);
    if (!lease) throw await this.leases.endedOf(item.leaseFence!);
    return lease;
  }

  /** @returns the leases whose time was not over, by item */
  async renewAll(renewals: readonly Renewing[]): Promise<Map<string, LeaseRow>> {
    const renewed = await this.leases.renewAll(
      renewals.map(({ by, item, ttlSeconds }) => ({ by, fence: item.leaseFence!, ttlSeconds })),
    );
    await this.store.noteRenewals(renewed);
    return new Map(renewed.map((lease) => [lease.subject, lease]));
  }

  /** Items whose time is over: ready again, with a comment that says so. @returns them as they are now */
  expire(items: readonly WorkItemRow[]): Promise<WorkItemRow[]> {
    return this.end(LEASE_SWEEP, items, 'expired', {});
  }

  /**
   * Ends the leases of items. What was in progress is ready again.
   * @returns the items as they are now
   */
  async end(by: Actor, items: readonly WorkItemRow[], status: LeaseEnd, ending: LeaseEnding): Promise<WorkItemRow[]> {
    const leases = await this.leases.lockHeld(
      items.map((item) => item.leaseFence!),
      status,
    );
    const held = new Map(items.map((item) => [item.leaseFence!, item]));
    return this.endLocked(leases.map((lease) => ({ by, lease, item: held.get(lease.fence)!, status, ending })));
  }

  /** Of items that are held, as their holders want it; their leases are locked. @returns the items as they are now */
  release(releases: readonly Releasing[]): Promise<WorkItemRow[]> {
    return this.endLocked(
      releases.map(({ by, item, heldBy, reason }) => {
        const lease = leaseOf(item, { holder: item.leaseHolder!, askedBy: heldBy });
        return { by, item, lease, status: 'released', ending: { reason, byPassport: lease.holderPassport } };
      }),
    );
  }

  private async endLocked(ends: readonly Ending[]): Promise<WorkItemRow[]> {
    if (ends.length === 0) return [];
    const records = await this.audit.recordAll(
      ends.map(({ by, item, lease, status, ending }) => {
        return { ...leaseEntry(status, lease, { ...endingFacts(status, ending), ...changeBy(item) }), by };
      }),
    );
    const moves = ends.map(({ by, item, lease, status, ending }, n) => {
      const move = moveOf(by, lease, { workId: item.workId, ...changeBy(item), receiptId: records[n]!.receiptId });
      const passport = ending.byPassport ?? move.passport;
      return { ...move, passport, why: ending.reason ?? status, ends: status, ...commentOf(status, lease, ending) };
    });
    return this.store.recordMoves(moves);
  }
}

/** The end of a lease. */
interface Ending {
  by: Actor;
  item: WorkItemRow;
  lease: LeaseFacts;
  status: LeaseEnd;
  ending: LeaseEnding;
}

/** The version that the end of its lease makes of an item, as the store writes it. */
function changeBy({ state: from, version }: WorkItemRow) {
  const to = stateAfterLease(from);
  return { from, to, version: to === from ? version : version + 1 };
}

/** The lease of an item, as the item says it. */
const leaseOf = (item: WorkItemRow, { holder, askedBy }: Pick<Claimant, 'holder' | 'askedBy'>) => ({
  ...({ kind: 'work', subject: item.workId, fence: item.leaseFence!, leaseId: '', mode: 'write' } as const),
  ...{ holderPassport: holder, heldBy: askedBy, renewedAt: item.updatedAt, expiresAt: item.leaseExpiresAt! },
  reason: null,
});

interface Moved {
  workId: string;
  from: string;
  to: string;
  version: number;
  receiptId: string;
}

const moveOf = (
  { principal, tokenSubject }: Actor,
  { fence }: Pick<LeaseRow, 'fence'>,
  { workId, from, to, version, receiptId }: Moved,
): Move => ({
  ...{
    work_id: workId,
    version,
    from_state: from,
    to_state: to,
    passport: principal,
    principal,
    subject: tokenSubject ?? null,
    why: null,
    assignee: null,
  },
  ...{ fence, receipt_id: receiptId },
});

/** What the next to look at the item should know. */
function commentOf(status: LeaseEnd, lease: LeaseFacts, { reason }: LeaseEnding): Pick<Move, 'comment_id' | 'comment'> {
  const { fence, holderPassport, expiresAt } = lease;
  const whose = `The lease ${fence} of ${holderPassport}`;
  if (status === 'expired') return { comment_id: uuid(), comment: `${whose} expired at ${expiresAt.toISOString()}.` };
  if (status === 'forced') return { comment_id: uuid(), comment: `${whose} was ended by force: ${reason ?? ''}` };
  return {};
}
