import type { Tier } from '../contract/caller.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { DISCOVERY_TENANT } from '../tenancy/discovery-tenant.js';

/**
 * Writes a new tenant's row: the one place that does, for the API and the command line.
 * @returns false when there is such a tenant already; the one that agents live in counts as there from the beginning
 */
export async function insertTenant(query: Query, tenantId: string, tier: Tier): Promise<boolean> {
  if (tenantId === DISCOVERY_TENANT) return false;
  const rows = await query('insert into tenant (tenant_id, tier) values ($1, $2) on conflict do nothing returning 1', [
    tenantId,
    tier,
  ]);
  return rows.length > 0;
}
