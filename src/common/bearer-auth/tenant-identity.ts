import type { TenantCaller } from '../contract/caller.js';
import { SESSION_SCOPES } from '../contract/session-scopes.js';
import type { Identity } from './daemon-caller.js';

/** A caller of the tenant API at the daemon: bound to its tenant; an agent that nobody sponsors may do nothing here. */
export const identityOfTenantCaller = (
  { tenantId, principal, role }: TenantCaller,
  authType: Identity['authType'],
): Omit<Identity, 'selectedTenant'> => ({
  authType,
  scopes: role === 'discovery' ? new Set() : SESSION_SCOPES[role],
  passport: undefined,
  principal,
  tenants: [tenantId],
});
