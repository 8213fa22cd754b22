import type { KeptTenantErasure } from '../../common/erasures/erasure-list.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';

/**
 * Marks as deleted, and due to be erased, what a backup has brought back of tenants that were erased after it, in the
 * open transaction of its restore. Their rows take a key to be erased, since receipts say which leaves of the log lose
 * their records: the API does it when it starts.
 * @returns their names
 */
export async function deleteAgain(query: Query, list: readonly KeptTenantErasure[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const { tenant_id: tenantId, erased_at: erasedAt } of list) {
    // The owner sees the rows of this tenant alone, and only now.
    await query(`select set_config('svc.erased_tenant', $1, true)`, [tenantId]);
    const rows = await query(DELETE, [tenantId, `It was erased at ${erasedAt}, and restored since`]);
    if (rows.length > 0) deleted.push(tenantId);
  }
  await query(`select set_config('svc.erased_tenant', '', true)`);
  return deleted;
}

const DELETE = `
  update tenant set state = 'deleted', state_since = now(), state_reason = $2, erase_after = now()
  where tenant_id = $1 and erasure_began_at is null returning tenant_id`;
