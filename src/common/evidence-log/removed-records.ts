import type { Query } from '../tenancy/cross-tenant.js';
import { TENANT_STREAM } from '../tenancy/tenant-state.js';
import { isCborMap } from '../../evidence/cbor.js';
import { parseCose, verifyCose } from '../../evidence/cose.js';
import { openReceipt } from '../../evidence/receipt.js';
import type { KnownKey } from './known-keys.js';
import type { LeafRanges } from './leaf-marks.js';

/**
 * The kind of the receipts that an erasure leaves before it removes records: their body has `leaves`, a list of
 * [first, count], the leaves whose records go. They stand in the chain that outlasts the tenant.
 */
export const RECORDS_ERASED = 'tenant.records_erased';

/**
 * The leaves whose records were removed lawfully, of all tenants whose erasure began. The rows alone count for nothing:
 * a receipt that no known key signed, or that another tenant's chain was to bear, accounts for no leaf.
 */
export async function readRemovedLeaves(query: Query, keys: ReadonlyMap<string, KnownKey>): Promise<LeafRanges> {
  const rows = await query<{ tenant_id: string; cose: Buffer }>(ERASED, [RECORDS_ERASED, TENANT_STREAM]);
  return rows.flatMap(({ tenant_id, cose }) => leavesOf(cose, tenant_id, keys));
}

/** Tenants whose rows are being erased, and whose receipts do not say that they are deleted. */
export const ERASED_UNSAID = `
  select t.tenant_id from tenant t
  left join lateral (
    select r.kind from receipt r
    where r.tenant_id = t.tenant_id and r.stream = '${TENANT_STREAM}' and r.kind not in ('${RECORDS_ERASED}', 'tenant.erased')
    order by r.seq desc limit 1
  ) last on true
  where t.erasure_began_at is not null and last.kind is distinct from 'tenant.deleted' order by 1`;

function leavesOf(cose: Buffer, tenantId: string, keys: ReadonlyMap<string, KnownKey>): [number, number][] {
  try {
    const { kid, payload } = openReceipt(cose);
    const known = keys.get(kid);
    const isOurs =
      payload.tenant_id === tenantId && payload.stream === TENANT_STREAM && payload.kind === RECORDS_ERASED;
    if (!isOurs || known === undefined || !verifyCose(parseCose(cose), known.key)) return [];
    return isCborMap(payload.body) ? (payload.body.leaves as [number, number][]) : [];
  } catch {
    // What cannot be read accounts for nothing; the check of the chains names it.
    return [];
  }
}

const ERASED = `
  select r.tenant_id, r.cose from tenant t
  join receipt r on r.tenant_id = t.tenant_id and r.kind = $1 and r.stream = $2
  where t.erasure_began_at is not null order by r.tenant_id, r.seq`;
