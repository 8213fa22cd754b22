import type { Actor } from '../../../../common/evidence-log/audit-trail.js';
import type { LeaseRow } from '../../leases/leases.types.js';
import type { WorkItemRow } from '../work-item.entity.js';

/** Who claims, and for how long. */
export interface Claimant {
  holder: string;
  /** The passport of the credential. */
  askedBy: string;
  ttlSeconds: number;
}

/** What claim-next looks among. */
export interface ClaimFilter {
  projectId?: string | undefined;
  labels: string[];
}

/** What claim-next found. */
export interface NextItem {
  item: WorkItemRow;
  isClaimed: boolean;
}

/** An item whose row is locked, and whether its lease was live once it was. */
export interface LockedItem {
  item: WorkItemRow;
  isLeaseLive: boolean;
}

/** What a claim made. */
export interface ClaimedItem {
  item: WorkItemRow;
  lease: Pick<LeaseRow, 'fence' | 'holderPassport' | 'renewedAt' | 'expiresAt'>;
}

/** One of the claims of the next item that go together. */
export interface NextClaim {
  by: Actor;
  claimant: Claimant;
  filter: ClaimFilter;
}

/** An item that is held, and locked with its lease. */
export interface HeldItem extends LockedItem {
  /** The passport of the credential that asked for the lease. */
  heldBy: string;
  /** The moves that the policy of its project names. */
  gatedMoves: string[];
}

/** An item that somebody got. */
export interface Granted {
  by: Actor;
  item: WorkItemRow;
  claimant: Claimant;
  from: WorkItemRow['state'];
}

/** A lease that somebody wants for longer; its item is locked. */
export interface Renewing {
  by: Actor;
  item: WorkItemRow;
  ttlSeconds: number;
}

/** A lease that somebody ends before its time; it is locked, and so is its item. */
export interface Releasing extends HeldItem {
  by: Actor;
  reason: string | undefined;
}

/**
 * Of a request that is not done together with others: something has to be waited for or ended first, or it is to be
 * refused. It is done in a transaction of its own.
 */
export const DEFERRED = Symbol('deferred');
export type Deferred = typeof DEFERRED;
