import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import type { Values } from '../../../common/tenancy/tenant-repository.js';
import { LeasesService } from '../leases/leases.service.js';
import { WorkLeasesService } from './claims/work-leases.service.js';
import { endsLease, isEnded, mayEndOrReopen } from './moves.rules.js';
import type { WorkItemRow } from './work-item.entity.js';
import { workStream } from './work.events.js';
import { WorkStore } from './work.store.js';
import type { WorkState } from './work.types.js';

/** What of an item changes, and what is recorded of it. */
export interface ItemChange {
  readonly values: Values<WorkItemRow>;
  /** Who asked for it. */
  readonly passport: string;
  readonly why?: string | null | undefined;
  /** The fence of the lease under which it is changed. */
  readonly fence?: number | null | undefined;
  /** The gate that let it through. */
  readonly actionId?: string | undefined;
  /** Further facts of event and receipt. */
  readonly facts?: object | undefined;
}

const NO_LEASE = { leaseFence: null, leaseHolder: null, leaseExpiresAt: null };

/**
 * Every change of an item goes through here, in the open unit of work and under the item's lock ({@link lock}): its
 * version rises, a change of state leaves a transition, what waits for it is counted, and a lease ends with its reason.
 *
 * Locks are taken in one order: blockers, items, leases, then the streams of receipts.
 */
@Injectable()
export class WorkMovesService {
  constructor(
    private readonly store: WorkStore,
    private readonly leases: LeasesService,
    private readonly workLeases: WorkLeasesService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The item as it may be changed: what the end of its lease brought is recorded, whether or not a sweep came by.
   * @param to the state it is to have, where it gets another one
   * @throws WorkUnknown
   */
  async lock(workId: string, to?: WorkState): Promise<WorkItemRow> {
    await this.store.read(workId);
    // What it is now may change until it is locked, and then it is too late for the lock that comes first.
    if (to !== undefined && mayEndOrReopen(to)) await this.store.lockBlockers();
    const row = await this.store.lock(workId);
    return row.isLeaseOver ? this.returnExpired(row) : row;
  }

  /** @returns the item as it is now */
  async change(by: Actor, row: WorkItemRow, change: ItemChange): Promise<WorkItemRow> {
    const { workId, state: from } = row;
    const { values, fence = row.leaseFence } = change;
    const to = (values.state as WorkState | undefined) ?? from;
    if (to !== from && isEnded(to) !== isEnded(from)) await this.store.countBlocker(workId, isEnded(to) ? -1 : 1);
    const released = to !== from && endsLease(to) ? await this.endLease(by, row, to) : {};
    const written = { ...released, ...values, version: row.version + 1, updatedAt: () => 'clock_timestamp()' };
    const changed = await this.store.items.updateOne({ workId }, written);
    const receiptId = await this.record(by, row, changed, { ...change, fence });
    if (to !== from) await this.recordMove(by, changed, { ...change, fence, from, receiptId });
    return changed;
  }

  /** The transition of an item to the state that it has now. */
  async recordMove(
    by: Actor,
    row: WorkItemRow,
    move: Pick<ItemChange, 'passport' | 'why' | 'fence' | 'actionId'> & { from: WorkState | null; receiptId: string },
  ): Promise<void> {
    const { workId, version, state, assigneePassport } = row;
    const { passport, from, receiptId, why = null, fence = null, actionId = null } = move;
    await this.store.transitions.insert({
      ...{ workId, version, fromState: from, toState: state, assigneePassport },
      ...{ passport, principal: by.principal, subject: by.tokenSubject ?? null, why, fence, actionId, receiptId },
    });
  }

  /** Ends the leases of the item whose time is over, and returns work in progress to `ready`. */
  async returnExpired(row: WorkItemRow): Promise<WorkItemRow> {
    return (await this.workLeases.expire([row]))[0] ?? row;
  }

  /** Whatever is held of it, or was until its time was over. */
  private async endLease(by: Actor, { workId: subject }: WorkItemRow, to: WorkState): Promise<typeof NO_LEASE> {
    await this.leases.endSubject(by, { kind: 'work', subject }, { reason: `The item became ${to}` });
    return NO_LEASE;
  }

  private async record(by: Actor, row: WorkItemRow, changed: WorkItemRow, change: ItemChange): Promise<string> {
    const { workId, projectId, state: from } = row;
    const { values, passport, why, fence, actionId, facts } = change;
    const { receiptId } = await this.audit.record(by, {
      kind: 'work.changed',
      subject: workId,
      stream: workStream(workId),
      facts: {
        ...{ workId, projectId, passport, version: changed.version, changed: Object.keys(values).sort() },
        ...(changed.state === from ? {} : { from, to: changed.state }),
        ...(why ? { why } : {}),
        ...(fence ? { fence } : {}),
        ...(actionId ? { actionId } : {}),
        ...facts,
      },
    });
    return receiptId;
  }
}
