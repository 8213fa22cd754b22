import type { TenantAuthType } from '../contract/tenant-auth-type.js';
import type { SeatRole } from '../contract/contract.js';
import type { AuthMode } from '../config/daemon/auth-mode.js';

/** Who calls the daemon, as its authentication found out: what a credential says, before any route is looked at. */
export interface Identity {
  /**
   * `peer`: by the signature of its request (docs/formats/peer-requests.md); `session`: by the cookie of a session of
   * the tenant API (D73); `api_key`, `agent`, `seat`: by a credential of the tenant API.
   */
  authType: AuthMode | 'peer' | 'session' | TenantAuthType;
  /** `all` in the mode off. */
  scopes: ReadonlySet<string> | 'all';
  /** The acting passport. */
  passport: string | undefined;
  /**
   * `passport:<id>`, else `sub:<subject of the token>`, else `anonymous`; `peer:<id>`: the actor of receipts and the
   * owner of private facts. Of a session or a key `seat:<id>`, `key:<id>` or `agent:<id>`.
   */
  principal: string;
  /** `sub:<subject of the token>`, also where a passport is the principal: two passports of one are not two people. */
  tokenSubject?: string | undefined;
  /**
   * The tenants the credential covers; `any` where it is not bound to one (off, dev_scopes without a tenant header,
   * `*`).
   */
  tenants: readonly string[] | 'any';
  /** What X-Svc-Tenant-Id selects. */
  selectedTenant: string | undefined;
  /** Of a seat that signed in for an MCP client. */
  role?: SeatRole;
  /** The session of the cookie. */
  session?: { id: string; expiresAt: Date };
}

/** The caller of one request, admitted to its route. */
export interface DaemonCaller extends Identity {
  /**
   * An admin scope is what opened the route: it is not bound to a tenant, and sees private facts (memory-daemon.md 5.3;
   * D36). Never of a session, whose admin scopes end at its tenant.
   */
  isAdmin: boolean;
  /**
   * The tenant the request works in where it names none itself; undefined when the credential covers none, or several
   * and X-Svc-Tenant-Id chose none.
   */
  homeTenant: string | undefined;
  /** The agent's session that the request named (X-Svc-Session-Id); receipts bear it. */
  agentSession: string | undefined;
  /** The passport is registered in the home tenant, and nobody proved to have its key; receipts say so (D71). */
  isUnattested?: boolean;
  /**
   * Of a request with X-Svc-Fence that changes something: for the open unit of work, before it writes.
   * @throws FenceStale
   */
  checkFence?: () => Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    daemonCaller?: DaemonCaller;
  }
}

/** Whether a credential of the tenant API let it in: it ends at its tenant, whatever its scopes are. */
export const isOfTenantApi = ({ authType }: Pick<Identity, 'authType'>): boolean =>
  ['session', 'api_key', 'agent', 'seat', 'delegated'].includes(authType);

export const hasScope = ({ scopes }: Pick<Identity, 'scopes'>, scope: string): boolean =>
  scopes === 'all' || scopes.has(scope);

/**
 * The tenant that an identity works in: the one it selected, its only one, or the daemon's own where it is bound to
 * none in particular. Undefined for one of several until it selects one, and for one of none.
 */
export function homeTenantOf(
  { selectedTenant, tenants }: Pick<Identity, 'selectedTenant' | 'tenants'>,
  defaultTenant: string,
): string | undefined {
  if (selectedTenant !== undefined) return selectedTenant;
  if (tenants === 'any') return defaultTenant;
  return tenants.length === 1 ? tenants[0] : undefined;
}

/** Whether the credential itself, without an admin scope, covers a tenant. */
export const coversTenant = ({ tenants }: Pick<Identity, 'tenants'>, tenantId: string): boolean =>
  tenants === 'any' || tenants.includes(tenantId);
