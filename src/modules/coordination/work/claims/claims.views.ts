import { renewBefore, type LeaseRow } from '../../leases/leases.types.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { workOf } from '../work.views.js';
import type { ClaimReply, HeldLease, ReleaseReply, RenewedReply } from './claims.dto.js';
import type { ClaimedItem } from './claims.types.js';

type Held = Pick<LeaseRow, 'fence' | 'holderPassport' | 'renewedAt' | 'expiresAt'>;

const leaseView = (lease: Held): HeldLease => ({
  fence: lease.fence,
  holder_passport: lease.holderPassport,
  expires_at: lease.expiresAt.toISOString(),
  renew_before: renewBefore(lease).toISOString(),
});

export const claimReply = ({ item, lease }: ClaimedItem, reentrant = false): ClaimReply => ({
  schema: 'svc.work_claim/1',
  work: workOf(item),
  lease: leaseView(lease),
  reentrant,
});

export const nothingReady = (): ClaimReply => ({
  schema: 'svc.work_claim/1',
  work: null,
  lease: null,
  reentrant: false,
});

export const renewedReply = (lease: LeaseRow): RenewedReply => ({ schema: 'svc.lease/1', lease: leaseView(lease) });

export const releaseReply = (item: WorkItemRow, fence: number): ReleaseReply => ({
  ...{ schema: 'svc.work_released/1', work: workOf(item), fence },
});
