import type { Tier } from '../../../common/contract/caller.js';
import type { TenantState } from '../../../common/tenancy/tenant-state.js';

/** What stands of a tenant in its own row. */
export interface TenantStanding {
  tenant_id: string;
  tier: Tier;
  created_at: Date;
  /** Registered by a first write; nobody created it. */
  implicit: boolean;
  state: TenantState;
  state_since: Date;
  state_reason: string | null;
  /** Of a deleted one: from when its rows are erased. */
  erase_after: Date | null;
  /** After this nothing brings it back. */
  erasure_began_at: Date | null;
  /** When none of its rows was left. */
  erased_at: Date | null;
}

/** What an act of the operator has led to. */
export interface TenantChange {
  tenant: TenantStanding;
  /** Whether this act changed anything; one that is repeated does not. */
  changed: boolean;
}

export interface Erased {
  /** How many rows this run erased. */
  rows: number;
  /** Whether none is left; otherwise another process is at it, or this one stops. */
  isComplete: boolean;
}
