import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../common/bearer-auth/authenticator.js';
import { challengeOf } from '../common/bearer-auth/challenge.js';
import {
  coversTenant,
  hasScope,
  homeTenantOf,
  isOfTenantApi,
  type DaemonCaller,
  type Identity,
} from '../common/bearer-auth/daemon-caller.js';
import { HTTP_AUTHENTICATOR } from '../common/bearer-auth/session-authenticator.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { routeOf, unchecked, type Access } from '../common/contract/contract.js';
import { isCrossTenant } from '../common/contract/scopes.js';
import { agentSessionIn } from '../common/http/agent-session.js';
import { ClientAddresses } from '../common/http/client-address.js';
import { LOG, type Log } from '../common/observability/log.js';
import {
  InvalidToken,
  PassportHeaderMismatch,
  RateLimited,
  TenantMismatch,
  UnfitToken,
} from '../common/problem/daemon-problems.js';
import { Forbidden } from '../common/problem/common-problems.js';
import { Problem } from '../common/problem/problem.js';
import { RouteAuth } from '../common/route-auth/route-auth.js';
import { scopeObjection } from '../common/route-auth/scope-check.js';
import { UnbuiltPlanes } from '../common/route-auth/unbuilt-planes.js';
import { FailedCredentials } from '../common/throttle/failed-credentials.js';
import { PassportStandings } from './passport-standings.js';
import { TenantRegistry } from './tenant-registry.js';

/**
 * The credential of a caller of the daemon, route-auth, and the scopes of the route (memory-daemon.md 5; D34 A-12).
 * What the request names of tenants is looked at by the tenant guard.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  private readonly routeAuth: RouteAuth;
  private readonly defaultTenant: string;

  constructor(
    @Inject(HTTP_AUTHENTICATOR) private readonly authenticator: Authenticator,
    private readonly addresses: ClientAddresses,
    private readonly failures: FailedCredentials,
    planes: UnbuiltPlanes,
    private readonly registry: TenantRegistry,
    private readonly standings: PassportStandings,
    @Inject(SETTINGS) { daemon, bootstrap }: Settings,
    @Inject(LOG) log: Log,
  ) {
    this.routeAuth = new RouteAuth(daemon.routeAuth, planes, log);
    this.defaultTenant = bootstrap.tenantId;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // A peer is let in by its signature.
    if (request.daemonCaller) return true;
    try {
      await this.admit(request);
      return true;
    } catch (error) {
      const challenge = error instanceof Problem ? challengeOf(error) : undefined;
      if (challenge !== undefined) void http.getResponse<FastifyReply>().header('www-authenticate', challenge);
      throw error;
    }
  }

  private async admit(request: FastifyRequest): Promise<void> {
    const classified = this.routeAuth.classify(request);
    if (classified?.class === 'Public') return;
    // Of a plane that is not built route-auth alone decides.
    const access = routeOf(request)?.access ?? (classified && unchecked());
    const identity = access && (await this.identify(access, request));
    this.routeAuth.check(request, classified, identity);
    if (!identity || request.is404) return;
    if (access.kind === 'scopes') await this.registry.checkCredential(identity);
    const objection = scopeObjection(access, identity);
    if (objection) throw objection;
    this.checkReach(request, identity);
    const caller = this.callerOf(access, identity);
    const isUnattested = await this.admitPassport(caller);
    request.daemonCaller = { ...caller, isUnattested, agentSession: agentSessionIn(request) };
  }

  /**
   * A route that asks for no scopes itself is open to callers without a valid credential, unless route-auth decides
   * about it: there are no scopes then. Tokens that the right key did not sign are counted by address; past the bound
   * they are answered 429.
   */
  private async identify(access: Access, request: FastifyRequest): Promise<Identity | undefined> {
    try {
      return await this.authenticator.identify(request);
    } catch (error) {
      const isForged = error instanceof InvalidToken && !(error instanceof UnfitToken);
      const retryAfterSec = isForged ? this.countFailure(request) : 0;
      const isOpen = access.kind === 'unchecked' && !this.routeAuth.enforces;
      if (isOpen && error instanceof Problem && !(error instanceof PassportHeaderMismatch)) return undefined;
      if (retryAfterSec > 0) throw new RateLimited({ retryAfterSec }, TOO_MANY);
      throw error;
    }
  }

  /**
   * A session or key of another tenant than the daemon's own does nothing to the server as a whole.
   * @throws Forbidden
   */
  private checkReach(request: FastifyRequest, identity: Identity): void {
    if (!isOfTenantApi(identity) || !routeOf(request)?.ofServer || identity.tenants.includes(this.defaultTenant))
      return;
    throw new Forbidden(
      {},
      'This acts on the whole server, and a session or key in its own tenant alone; use a token of the operator',
    );
  }

  private countFailure(request: FastifyRequest): number {
    return this.failures.count({ address: this.addresses.of(request), prefix: 'token' });
  }

  /** @returns whether it is registered without a proven key @throws PassportRevoked */
  private async admitPassport({
    homeTenant,
    passport,
  }: Pick<DaemonCaller, 'homeTenant' | 'passport'>): Promise<boolean> {
    if (homeTenant === undefined || passport === undefined) return false;
    await this.standings.check(homeTenant, passport);
    return this.standings.isUnattested(homeTenant, passport);
  }

  private callerOf(access: Access, identity: Identity): Omit<DaemonCaller, 'agentSession' | 'isUnattested'> {
    const isAdmin = isOpenedByAdmin(access, identity);
    const { selectedTenant } = identity;
    if (selectedTenant !== undefined && !isAdmin && !coversTenant(identity, selectedTenant))
      throw new TenantMismatch(
        { tenant_id: selectedTenant },
        'X-Svc-Tenant-Id names a tenant that the credential does not cover',
      );
    const homeTenant = homeTenantOf(identity, this.defaultTenant);
    return { ...identity, isAdmin, homeTenant };
  }
}

const TOO_MANY = 'Too many invalid tokens from this address; a valid one is accepted';

/** Never of a session or key: it is bound to its tenant, whatever its scopes are. */
const isOpenedByAdmin = (access: Access, identity: Identity): boolean =>
  !isOfTenantApi(identity) &&
  access.kind === 'scopes' &&
  access.scopes.some((scope) => isCrossTenant(scope) && hasScope(identity, scope));
