import type { Tier } from '../contract/caller.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { DISCOVERY_TENANT } from '../tenancy/discovery-tenant.js';

/** What a tenant is created with. */
export interface TenantMaking {
  tenantId: string;
  tier: Tier;
  /** Whether a name that holds data already is taken over with it. */
  adopt?: boolean;
}

/**
 * Writes the row of a tenant that somebody creates: the one place that does, for the API and the command line. As the
 * tenant itself, or as svc_operator.
 * @returns false when there is such a tenant already, or the name holds data that is not to be adopted; a deleted
 * one is there for good, and so is the one that agents live in
 */
export async function insertTenant(query: Query, { tenantId, tier, adopt = false }: TenantMaking): Promise<boolean> {
  if (tenantId === DISCOVERY_TENANT) return false;
  const rows = await query(
    `insert into tenant as t (tenant_id, tier) select $1, $2 where $3 or not svc_holds_data($1)
     on conflict (tenant_id) do update set tier = excluded.tier, implicit = false where $3 and t.implicit and t.state = 'active' returning 1`,
    [tenantId, tier, adopt],
  );
  return rows.length > 0;
}

/**
 * Writes the row of a tenant that nobody created and that is written to now. Waits for another transaction that does
 * so.
 * @returns false when the tenant is registered already
 */
export async function insertImplicitTenant(query: Query, tenantId: string): Promise<boolean> {
  const rows = await query(
    `insert into tenant (tenant_id, tier, implicit) values ($1, 'free', true) on conflict do nothing returning 1`,
    [tenantId],
  );
  return rows.length > 0;
}

/** The tier of a tenant that is there. */
export async function readTier(query: Query, tenantId: string): Promise<Tier> {
  const [row] = await query<{ tier: Tier }>('select tier from tenant where tenant_id = $1', [tenantId]);
  if (!row) throw new Error('the tenant has no row');
  return row.tier;
}
