import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../common/contract/contract.js';
import { TenantResolver } from './tenant-resolver.js';

/**
 * A tenant-bound route works only for tenants that its caller's credential covers (memory-daemon.md 5.3): those that
 * the request names, else the one it works in. A token without a tenant claim covers none.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(private readonly resolver: TenantResolver) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { daemonCaller } = request;
    if (!routeOf(request)?.tenantBound || !daemonCaller) return true;
    const named = [...namedIn(request.query, request.body), ...inPath(request.params)];
    const { homeTenant, tenants, isAdmin } = daemonCaller;
    if (named.length === 0 && homeTenant !== undefined) named.push(homeTenant);
    if (named.length === 0 && tenants.length === 0 && !isAdmin) throw this.resolver.noneChosen(daemonCaller);
    for (const tenantId of named) this.resolver.check(daemonCaller, tenantId);
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
