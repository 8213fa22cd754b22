import { Injectable } from '@nestjs/common';
import { FenceStale } from '../../../common/problem/daemon-problems.js';
import { holderOf } from './leases.service.js';
import { LeasesStore } from './leases.store.js';
import type { LeaseRow, LeaseSubject } from './leases.types.js';

/**
 * Refuses writers that have lost what they held (X-Svc-Fence), in the transaction of the write. A share lock on the
 * lease lasts until that ends: nobody takes over between the check and the commit, since whoever takes over ends the
 * older lease first.
 */
@Injectable()
export class FenceCheckService {
  constructor(private readonly store: LeasesStore) {}

  /**
   * Where a fence came. Call it in the unit of work of the write, once the work item or the tenant's paths are locked.
   * @param of what the fence has to be of, where the write is to one thing that is leased
   * @throws FenceStale
   */
  async check(fence: number | undefined, of?: LeaseSubject): Promise<void> {
    if (fence === undefined) return;
    const lease = await this.store.rows.find({ fence }, 'share');
    if (!lease) throw stale(fence, undefined, 'There is no lease of this fence in the tenant');
    if (of && (lease.kind !== of.kind || lease.subject !== of.subject))
      throw stale(
        fence,
        await this.newerThan(fence, of),
        `The fence is of ${lease.kind} ${lease.subject}, not of this`,
      );
    if (!(await this.store.isLive(fence)))
      throw stale(fence, await this.newerThan(fence, lease), 'The lease of this fence has ended');
  }

  private async newerThan(fence: number, { kind, subject }: LeaseSubject): Promise<LeaseRow | undefined> {
    const newest = await this.store.findNewest({ kind, subject });
    return newest && newest.fence > fence ? newest : undefined;
  }
}

const stale = (fence: number, newer: LeaseRow | undefined, why: string): FenceStale =>
  new FenceStale(
    { fence, newer: newer ? holderOf(newer) : null },
    newer
      ? `${why}. ${newer.holderPassport} has the newer fence ${newer.fence}, until ${newer.expiresAt.toISOString()}; nothing was changed`
      : `${why}; nothing was changed. Claim or acquire again and send the new fence`,
  );
