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
