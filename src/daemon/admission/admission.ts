import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Address } from '../../common/contract/contract.js';
import type { ProcessParts } from '../../common/core/core.module.js';
import { unknownAddress } from '../../common/problem/house-problems.js';
import { Problem } from '../../common/problem/problem.js';
import type { Authenticator } from '../auth/authenticator.js';
import { challengeOf } from '../auth/challenge.js';
import { coversTenant, hasScope, type DaemonCaller, type Identity } from '../auth/daemon-caller.js';
import { DAEMON_ROUTES, type DaemonRouteRecord } from '../contract/daemon-contract.js';
import { isCrossTenant, type ScopeRule } from '../contract/scopes.js';
import { MissingScope, PassportHeaderMismatch, TenantMismatch } from '../problems/daemon-problems.js';
import { RouteAuth } from '../route-auth/route-auth.js';
import type { Classified } from '../route-auth/route-class.js';
import { FlagGate } from './flag-gate.js';

/**
 * Who may go on to a route, decided before the body is read: the flag of its plane, the credential, route-auth, the scopes of the handler
 * (memory-daemon.md 5; D34 A-12). What the body names of tenants is looked at afterwards, by the tenant guard.
 */
export class Admission {
  private readonly flags: FlagGate;
  private readonly routeAuth: RouteAuth;
  private readonly defaultTenant: string;

  constructor(
    { settings, log }: Pick<ProcessParts, 'settings' | 'log'>,
    private readonly authenticator: Authenticator,
  ) {
    this.flags = new FlagGate(settings.flags);
    this.routeAuth = new RouteAuth(settings.daemon.routeAuth, log);
    this.defaultTenant = settings.bootstrap.tenantId;
  }

  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async (request, reply) => {
      try {
        return await this.admit(request, reply);
      } catch (error) {
        const challenge = error instanceof Problem ? challengeOf(error) : undefined;
        if (challenge !== undefined) void reply.header('www-authenticate', challenge);
        throw error;
      }
    });
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const template = request.is404 ? undefined : request.routeOptions.url;
    const path = request.url.split('?', 1)[0]!;
    if (this.flags.answers(template, path, reply)) return reply;
    const record = template === undefined ? undefined : DAEMON_ROUTES.get(`${request.method} ${template}` as Address);
    const classified = record?.classified ?? this.routeAuth.classify(request.method, template, path);
    if (classified?.class !== 'Public') {
      if (record === undefined) this.routeAuth.check(request, classified, undefined);
      else await this.admitTo(record, classified, request);
    }
    // Now, so that nobody waits for a body that nothing will read.
    if (request.is404) throw unknownAddress();
    return undefined;
  }

  private async admitTo(
    record: DaemonRouteRecord,
    classified: Classified | undefined,
    request: FastifyRequest,
  ): Promise<void> {
    const identity = await this.identify(record, request);
    this.routeAuth.check(request, classified, identity);
    if (!identity) return;
    checkScopes(record, identity);
    request.daemonCaller = this.callerOf(record, identity);
  }

  /**
   * A route that asks for no scopes itself is open to whoever presents nothing, or nothing valid, unless route-auth decides about it: there are no
   * scopes then.
   */
  private async identify({ scopes }: DaemonRouteRecord, request: FastifyRequest): Promise<Identity | undefined> {
    try {
      return await this.authenticator.identify(request);
    } catch (error) {
      const isOpen = scopes.kind === 'unchecked' && !this.routeAuth.enforces;
      if (isOpen && error instanceof Problem && !(error instanceof PassportHeaderMismatch)) return undefined;
      throw error;
    }
  }

  private callerOf({ scopes }: DaemonRouteRecord, identity: Identity): DaemonCaller {
    const isAdmin = isOpenedByAdmin(scopes, identity);
    const { selectedTenant } = identity;
    if (selectedTenant !== undefined && !isAdmin && !coversTenant(identity, selectedTenant))
      throw new TenantMismatch(
        { tenant_id: selectedTenant },
        'X-Svc-Tenant-Id names a tenant that the credential does not cover',
      );
    const homeTenant = selectedTenant ?? this.homeOf(identity);
    return { ...identity, isAdmin, homeTenant };
  }

  /**
   * A credential for several tenants works in none until the request names one: it is undefined then. One that is for no tenant in particular works
   * in the daemon's own, on routes that are not bound to a tenant.
   */
  private homeOf({ tenants }: Identity): string | undefined {
    if (tenants === 'any' || tenants.length === 0) return this.defaultTenant;
    return tenants.length === 1 ? tenants[0] : undefined;
  }
}

/** @throws MissingScope as memory-daemon.md 5.3 words it */
function checkScopes({ scopes: rule }: DaemonRouteRecord, identity: Identity): void {
  if (rule.kind === 'any' && !rule.scopes.some((scope) => hasScope(identity, scope)))
    throw new MissingScope({ missingAnyScope: rule.scopes }, `This takes one of: ${rule.scopes.join(', ')}`);
  if (rule.kind !== 'all') return;
  const missing = rule.scopes.filter((scope) => !hasScope(identity, scope));
  if (missing.length > 0)
    throw new MissingScope({ missingScopes: missing }, `This takes all of: ${rule.scopes.join(', ')}`);
}

const isOpenedByAdmin = (rule: ScopeRule, identity: Identity): boolean =>
  (rule.kind === 'any' || rule.kind === 'all') &&
  rule.scopes.some((scope) => isCrossTenant(scope) && hasScope(identity, scope));
