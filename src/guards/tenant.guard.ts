import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isOfTenantApi, type DaemonCaller } from '../common/bearer-auth/daemon-caller.js';
import { routeOf } from '../common/contract/contract.js';
import { namedInRequest } from './named-tenants.js';
import { TenantResolver } from './tenant-resolver.js';

/**
 * A tenant-bound route works only for tenants that its caller's credential covers (memory-daemon.md 5.3): those that
 * the request names, else the one it works in. A token without a tenant claim covers none. To a session or key of the
 * tenant API every route is tenant-bound (D73).
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(private readonly resolver: TenantResolver) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { daemonCaller } = request;
    if (!daemonCaller) return true;
    if (isOfTenantApi(daemonCaller)) return this.checkOwn(request, daemonCaller);
    if (!routeOf(request)?.tenantBound) return true;
    const named = [...namedIn(request.query, request.body), ...inPath(request.params)];
    const { homeTenant, tenants, isAdmin } = daemonCaller;
    if (named.length === 0 && homeTenant !== undefined) named.push(homeTenant);
    if (named.length === 0 && tenants.length === 0 && !isAdmin) throw this.resolver.noneChosen(daemonCaller);
    for (const tenantId of named) this.resolver.check(daemonCaller, tenantId);
    return true;
  }

  /** @throws TenantMismatch for another tenant than the session's or key's, wherever the request names it */
  private checkOwn(request: FastifyRequest, caller: DaemonCaller): boolean {
    for (const { tenant } of namedInRequest(request)) this.resolver.check(caller, tenant);
    return true;
  }
}

const inPath = (params: unknown): string[] => {
  const { tenantId } = params as { tenantId?: unknown };
  return typeof tenantId === 'string' ? [tenantId] : [];
};

/** Every tenant_id that is text; what is not is reported by the validation that follows. */
const namedIn = (...holders: unknown[]): string[] =>
  holders
    .map((holder) =>
      typeof holder === 'object' && holder !== null ? (holder as { tenant_id?: unknown }).tenant_id : undefined,
    )
    .filter((tenantId) => typeof tenantId === 'string');
