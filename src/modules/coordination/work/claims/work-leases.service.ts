import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { AuditTrail, type Actor } from '../../../../common/evidence-log/audit-trail.js';
import { leaseEntry } from '../../leases/leases.events.js';
import { LEASE_SWEEP, LeasesService } from '../../leases/leases.service.js';
import type { LeaseEnd } from '../../leases/lease-states.types.js';
import type { LeaseEnding, LeaseRow } from '../../leases/leases.types.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { ClaimsStore, type Move } from './claims.store.js';
import { stateAfterLease } from './claims.rules.js';
import type { Claimant, ClaimedItem } from './claims.types.js';

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
    return this.recordClaim(by, await this.store.claim(free.workId, claimant), claimant, free.state);
  }

  /** Of an item that was claimed a moment ago. */
  async recordClaim(by: Actor, item: WorkItemRow, claimant: Claimant, from: WorkItemRow['state'] = 'ready') {
    const lease = leaseOf(item, claimant);
    const { workId, state: to, version } = item;
    const { receiptId } = await this.audit.record(by, leaseEntry('granted', lease, { from, to, version }));
    const move = moveOf(by, lease, { workId, from, to, version, receiptId });
    const { holder } = claimant;
    await this.store.recordMoves([{ ...move, passport: holder, assignee: holder, begins: true }]);
    return { item, lease };
  }

  async renew(by: Actor, item: WorkItemRow, ttlSeconds: number): Promise<LeaseRow> {
    const lease = await this.leases.renew(by, { fence: item.leaseFence! }, ttlSeconds);
    await this.store.noteRenewal(item, lease.expiresAt);
    return lease;
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
    const held = new Map(items.map((item) => [item.leaseFence!, item]));
    const changeOf = (lease: LeaseRow) => changeBy(held.get(lease.fence)!);
    const ended = await this.leases.endMany(by, [...held.keys()], status, ending, changeOf);
    const after = await this.store.takeLease(ended.map((lease) => held.get(lease.fence)!));
    const moves = ended.map((lease) => {
      const move = moveOf(by, lease, { workId: lease.subject, ...changeOf(lease), receiptId: lease.receiptEnd! });
      const passport = ending.byPassport ?? move.passport;
      return { ...move, passport, why: ending.reason ?? status, ...commentOf(status, lease, ending) };
    });
    await this.store.recordMoves(moves);
    return after;
  }
}

/** The version that the end of its lease makes of an item, as the store writes it. */
function changeBy({ state: from, version }: WorkItemRow) {
  const to = stateAfterLease(from);
  return { from, to, version: to === from ? version : version + 1 };
}

/** What a claim wrote, without another look. */
const leaseOf = (item: WorkItemRow, { holder, askedBy }: Claimant) => ({
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
  { principal }: Actor,
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
    why: null,
    assignee: null,
  },
  ...{ fence, receipt_id: receiptId },
});

/** What the next to look at the item should know. */
function commentOf(status: LeaseEnd, lease: LeaseRow, { reason }: LeaseEnding): Pick<Move, 'comment_id' | 'comment'> {
  const { fence, holderPassport, expiresAt } = lease;
  const whose = `The lease ${fence} of ${holderPassport}`;
  if (status === 'expired') return { comment_id: uuid(), comment: `${whose} expired at ${expiresAt.toISOString()}.` };
  if (status === 'forced') return { comment_id: uuid(), comment: `${whose} was ended by force: ${reason ?? ''}` };
  return {};
}
