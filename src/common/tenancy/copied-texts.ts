import type { Query } from './cross-tenant.js';
import { LOCK, LOCK_SHARED, lockKeyOf, type Tenancy } from './tenancy.js';

const NAME = 'copied texts';

/**
 * Until the open unit of work ends, no erasure of the tenant ends: what is copied from one row into another is found by
 * it, or the copying waits and finds nothing. Called before what is copied is read.
 */
export const lockToCopy = (tenancy: Tenancy): Promise<void> => tenancy.lockShared(NAME);

/** The same of a query over all tenants, for some of them. */
export async function lockToCopyIn(query: Query, tenantIds: readonly string[]): Promise<void> {
  for (const tenantId of tenantIds) await query(LOCK_SHARED, [lockKeyOf(tenantId, NAME)]);
}

/** Waits for those that copy, and lets none begin until the transaction ends. Of a query of the tenant. */
export async function lockAgainstCopies(query: Query, tenantId: string): Promise<void> {
  await query(LOCK, [lockKeyOf(tenantId, NAME)]);
}
