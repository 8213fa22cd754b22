import type { FastifyRequest } from 'fastify';
import type { AccessTokens } from '../../../common/access-tokens/access-tokens.js';
import type { Authenticator } from '../../../common/bearer-auth/authenticator.js';
import {
  coversTenant,
  hasScope,
  homeTenantOf,
  isOfTenantApi,
  type Identity,
} from '../../../common/bearer-auth/daemon-caller.js';
import { isDevMode, type AuthMode } from '../../../common/config/daemon/auth-mode.js';
import type { Settings } from '../../../common/config/settings.js';
import type { Address } from '../../../common/contract/contract.js';
import { SESSION_HEADER } from '../../../common/http/agent-session.js';
import { bearerOf, headerOf } from '../../../common/http/headers.js';
import { DELEGATED_CALLER_HEADER, type DelegatedCallers } from '../../../common/keys/delegated-callers.js';
import { AGENT_TOKEN_PREFIX } from '../../../common/keys/agent-token.js';
import { Problem } from '../../../common/problem/problem.js';
import type { PassportStandings } from '../../../guards/passport-standings.js';
import { RouteRefusal } from '../../../rpc/agent/servers.js';
import type { ToolCaller } from '../../../rpc/peer.js';

/** How it is known who speaks to the daemon. */
interface Known {
  authenticator: Authenticator;
  delegated: DelegatedCallers;
  tokens: AccessTokens;
  standings: PassportStandings;
}

/**
 * What the tenant API is shown for a caller of the daemon: its own key or session token where it sent one, else who it
 * is, signed, where the daemon has proof of that (docs/decisions/0315).
 */
export class ApiCredentials {
  private readonly mode: AuthMode;
  private readonly defaultTenant: string;

  constructor(
    { daemon, bootstrap }: Settings,
    private readonly known: Known,
  ) {
    this.mode = daemon.authMode ?? 'off';
    this.defaultTenant = bootstrap.tenantId;
  }

  /** @throws RouteRefusal where there is nothing to show */
  async of(request: FastifyRequest, address: Address): Promise<Record<string, string>> {
    const session = headerOf(request, SESSION_HEADER);
    const own = ownOf(request) ?? (await this.delegate(request, address));
    return { ...own, ...(session === undefined ? {} : { [SESSION_HEADER]: session }) };
  }

  /** The tenant that a call works in. @throws RouteRefusal where that is not known */
  async tenantOf(request: FastifyRequest): Promise<string> {
    const identity = await this.known.authenticator.identify(request);
    const tenantId = homeTenantOf(identity, this.defaultTenant);
    if (tenantId !== undefined && coversTenant(identity, tenantId)) return tenantId;
    throw new RouteRefusal('daemon', 'GET /v1/facts', 403, { type: 'TenantMismatch', detail: NO_TENANT });
  }

  /** The same, of one that need not be known: tools are listed to everyone. */
  async findTenantOf(request: FastifyRequest): Promise<string | undefined> {
    try {
      return await this.tenantOf(request);
    } catch (error) {
      if (error instanceof RouteRefusal || error instanceof Problem) return undefined;
      throw error;
    }
  }

  /**
   * The caller as the shield of the tenant knows it; undefined where nothing but its own word says who it is, or where
   * no one tenant is its own.
   */
  async findTenantCaller(request: FastifyRequest): Promise<ToolCaller | undefined> {
    try {
      const identity = await this.known.authenticator.identify(request);
      const isOwn = isOfTenantApi(identity);
      const tenantId = this.boundTenantOf(identity);
      if (tenantId === undefined || (!isOwn && isDevMode(this.mode))) return undefined;
      return { tenantId, principal: identity.principal, authType: isOwn ? identity.authType : 'delegated' };
    } catch (error) {
      // The route says what is wrong with it.
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }

  /** A credential of any tenant is bound to none, and nothing is said of it. */
  private boundTenantOf(identity: Identity): string | undefined {
    const tenantId = homeTenantOf(identity, this.defaultTenant);
    return identity.tenants !== 'any' && tenantId !== undefined && coversTenant(identity, tenantId)
      ? tenantId
      : undefined;
  }

  private async delegate(request: FastifyRequest, address: Address): Promise<Record<string, string>> {
    const identity = await this.findProven(request);
    const tenantId = identity && this.boundTenantOf(identity);
    const role = identity && (identity.role ?? roleOf(identity));
    if (!identity || tenantId === undefined || role === undefined)
      throw new RouteRefusal('api', address, 401, { type: 'Unauthorized', title: 'No credential', detail: NEEDED });
    if (identity.passport !== undefined) await this.known.standings.check(tenantId, identity.passport);
    return { [DELEGATED_CALLER_HEADER]: this.known.delegated.sign({ tenantId, principal: identity.principal, role }) };
  }

  /** Who it is, where more than its own word says so. */
  private async findProven(request: FastifyRequest): Promise<Identity | undefined> {
    const isDev = isDevMode(this.mode);
    if (isDev && !this.known.tokens.take(bearerOf(request))) return undefined;
    const identity = await this.known.authenticator.identify(request);
    return isDev && !isOfTenantApi(identity) ? undefined : identity;
  }
}

const NO_TENANT = 'the credential covers several tenants; let the client choose one by the header x-svc-tenant-id';
const NEEDED =
  "documents, answers and proofs are the tenant API's: let the client send x-tenant-id and x-api-key of the tenant as headers";

function ownOf(request: FastifyRequest): Record<string, string> | undefined {
  const [tenantId, apiKey, bearer] = [
    headerOf(request, 'x-tenant-id'),
    headerOf(request, 'x-api-key'),
    bearerOf(request),
  ];
  if (bearer?.startsWith(AGENT_TOKEN_PREFIX)) return { authorization: `Bearer ${bearer}` };
  return apiKey === undefined || tenantId === undefined ? undefined : { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
}

/** Whoever may write facts counts as a member, whoever may only read as a viewer. */
function roleOf(identity: Identity): 'member' | 'viewer' | undefined {
  if (hasScope(identity, 'facts:write') && hasScope(identity, 'query:read')) return 'member';
  return hasScope(identity, 'query:read') ? 'viewer' : undefined;
}
