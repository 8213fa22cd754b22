/**
 * What may be done in a tenant. The credentials of one that is not active are refused; its data is kept, of a deleted
 * one until its erasure (docs/decisions/0135).
 */
export type TenantState = 'active' | 'suspended' | 'deleted';

/** NOTIFY: the tier or the state of a tenant changed, or its row has gone. The payload is its name. */
export const TENANT_CHANGED = 'svc_tenant_changed';

/** What a caller is answered whose credential is valid, and whose tenant is not active. */
export const inactiveTenant = (state: Exclude<TenantState, 'active'>): string =>
  state === 'suspended'
    ? 'The tenant is suspended; its data is kept. Ask the operator of this server'
    : 'The tenant was deleted. Ask the operator of this server, who can bring it back until its data is erased';

/** The chain of the receipts of what becomes of a tenant itself; they outlast its erasure. */
export const TENANT_STREAM = 'tenant';
