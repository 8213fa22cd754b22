import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { endingFacts, leaseEntry } from './leases.events.js';
import { LeaseEnded, type NamedLease } from './leases.problems.js';
import { LeasesStore } from './leases.store.js';
import type { LeaseEnd, LeaseKind } from './lease-states.types.js';
import type { LeaseDraft, LeaseEnding, LeaseHolder, LeaseRow, LeaseSubject } from './leases.types.js';

/** Whoever ends leases whose time is over, where nobody took over. */
export const LEASE_SWEEP: Actor = { principal: 'svc:lease-sweep', authType: 'system' };

/**
 * Leases with fences (D61), all within the open unit of work. Each change leaves its receipt and its event.
 *
 * A lease whose time is over is free at once, whatever its row says: every read asks the database's clock. Who takes
 * over ends it in the same transaction, else the sweep does.
 *
 * Locks are taken in one order: the work item, or the tenant's paths ({@link lockPaths}), then leases, then the streams
 * of receipts.
 */
@Injectable()
export class LeasesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: LeasesStore,
    private readonly audit: AuditTrail,
  ) {}

  /** Under the next fence. The caller has made sure, under a lock, that nothing stands in its way. */
  async grant(by: Actor, draft: LeaseDraft): Promise<LeaseRow> {
    const numbers = await this.store.draw(draft.ttlSeconds);
    const leaseId = uuid();
    const { fence, expiresAt } = numbers;
    const entry = leaseEntry('granted', { ...draft, fence, leaseId, holderPassport: draft.holder, expiresAt });
    const { receiptId } = await this.audit.record(by, entry);
    return this.store.insert(draft, numbers, { leaseId, receiptId });
  }

  /** The same fence, for longer; never shorter than it has already. @throws LeaseEnded where its time is over */
  async renew(by: Actor, { fence }: Pick<LeaseRow, 'fence'>, ttlSeconds: number): Promise<LeaseRow> {
    const [renewed] = await this.renewAll([{ by, fence, ttlSeconds }]);
    if (!renewed) throw await this.endedOf(fence);
    return renewed;
  }

  /** Those of the leases whose time is not over, each for longer. @returns them as they are now */
  async renewAll(renewals: readonly { by: Actor; fence: number; ttlSeconds: number }[]): Promise<LeaseRow[]> {
    const renewed = await this.store.renew(renewals);
    const byFence = new Map(renewals.map((renewal) => [renewal.fence, renewal.by]));
    await this.audit.recordAll(
      renewed.map((lease) => ({ ...leaseEntry('renewed', lease), by: byFence.get(lease.fence)! })),
    );
    return renewed;
  }

  /** @throws LeaseEnded where another ended it meanwhile */
  async end(
    by: Actor,
    { fence }: Pick<LeaseRow, 'fence'>,
    status: LeaseEnd,
    ending: LeaseEnding = {},
  ): Promise<LeaseRow> {
    const [lease] = await this.endMany(by, [fence], status, ending);
    if (!lease) throw await this.endedOf(fence);
    return lease;
  }

  /** Those that have ended already are left out. */
  async endMany(by: Actor, fences: readonly number[], status: LeaseEnd, ending: LeaseEnding): Promise<LeaseRow[]> {
    return this.endLocked(by, await this.lockHeld(fences, status), status, ending);
  }

  /** Those that have not ended; nobody else ends or renews them until the unit of work ends. */
  lockHeld(fences: readonly number[], status: LeaseEnd): Promise<LeaseRow[]> {
    return this.store.lockHeld(fences, status);
  }

  private async endLocked(
    by: Actor,
    leases: readonly LeaseRow[],
    status: LeaseEnd,
    ending: LeaseEnding,
  ): Promise<LeaseRow[]> {
    if (leases.length === 0) return [];
    const entries = leases.map((lease) => leaseEntry(status, lease, endingFacts(status, ending)));
    const records = await this.audit.recordMany(by, entries);
    return this.store.end(
      leases.map(({ fence }, place) => ({ fence, receipt: records[place]!.receiptId })),
      status,
      ending,
    );
  }

  /**
   * Ends the leases of a kind, or of one subject, whose time is over and which nobody has ended yet: whoever takes
   * over calls it, under the lock of the subject. Those of work are ended with their items (WorkLeasesService).
   * @returns what was ended
   */
  async endDue(by: Actor, of: Partial<LeaseSubject>): Promise<LeaseRow[]> {
    return this.endLocked(by, await this.store.lockDue(of), 'expired', {});
  }

  /** The same for the sweep: those that somebody writes under right now are left for the next time. */
  async sweep(of: Partial<LeaseSubject>, take: number): Promise<LeaseRow[]> {
    return this.endLocked(LEASE_SWEEP, await this.store.lockDue(of, take), 'expired', {});
  }

  /** Ends what is held of a subject: released, or expired where its time is over and nobody has said so. */
  async endSubject(by: Actor, of: LeaseSubject, ending: LeaseEnding): Promise<void> {
    await this.endDue(LEASE_SWEEP, of);
    const live = await this.store.listLive(of);
    await this.endMany(
      by,
      live.map(({ fence }) => fence),
      'released',
      ending,
    );
  }

  /** Of a work item the one, of a path the oldest that is live. */
  async findLive(kind: LeaseKind, subject: string): Promise<LeaseRow | undefined> {
    return (await this.store.listLive({ kind, subject }))[0];
  }

  listLive(kind: LeaseKind): Promise<LeaseRow[]> {
    return this.store.listLive({ kind });
  }

  /** Live or not. */
  readByFence(fence: number): Promise<LeaseRow | undefined> {
    return this.store.rows.find({ fence });
  }

  /** Live or not. */
  readById(leaseId: string): Promise<LeaseRow | undefined> {
    return this.store.rows.find({ leaseId });
  }

  /** Until the unit of work ends, nobody else of the tenant acquires, renews or ends a path lease. */
  lockPaths(): Promise<void> {
    return this.tenancy.lock('path leases');
  }

  /** What a renewal or a release that comes too late is answered. */
  async endedOf(wanted: number): Promise<LeaseEnded> {
    const lease = await this.readByFence(wanted);
    if (!lease)
      return new LeaseEnded(
        { fence: wanted, expires_at: null, newer: null },
        `The tenant has no lease of fence ${wanted}`,
      );
    const { fence, kind, subject, expiresAt } = lease;
    const newer = await this.findLive(kind, subject);
    return new LeaseEnded(
      { fence, expires_at: expiresAt.toISOString(), newer: newer ? holderOf(newer) : null },
      newer
        ? `The lease ${fence} has ended, and ${newer.holderPassport} has the newer one ${newer.fence} until ${newer.expiresAt.toISOString()}`
        : `The lease ${fence} has ended; ask for a new one, which has another fence`,
    );
  }
}

/** A lease as problems name it. */
export const holderOf = ({ fence, holderPassport, expiresAt }: LeaseHolder): NamedLease => ({
  fence,
  holder_passport: holderPassport,
  expires_at: expiresAt.toISOString(),
});
