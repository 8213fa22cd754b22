import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ROUTE } from '../../common/contract/contract.js';
import type { DaemonRouteRecord } from '../contract/daemon-contract.js';
import { TenantDoor } from './tenant-door.js';

/**
 * A tenant-bound route works only for tenants that its caller's credential covers (memory-daemon.md 5.3): those that the request names, else the one it
 * works in. A token without a tenant claim covers none.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly door: TenantDoor,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.reflector.get<DaemonRouteRecord | undefined>(ROUTE, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { daemonCaller } = request;
    if (!route?.tenantBound || !daemonCaller) return true;
    const named = [...namedIn(request.query, request.body), ...inPath(request.params)];
    if (named.length === 0 && daemonCaller.homeTenant !== undefined) named.push(daemonCaller.homeTenant);
    for (const tenantId of named) this.door.check(daemonCaller, tenantId);
    return true;
  }
}

const inPath = (params: unknown): string[] => {
  const { tenantId } = params as { tenantId?: unknown };
  return typeof tenantId === 'string' ? [tenantId] : [];
};

/** Every tenant_id that is text; what is not is told by the validation that follows. */
const namedIn = (...holders: unknown[]): string[] =>
  holders
    .map((holder) =>
      typeof holder === 'object' && holder !== null ? (holder as { tenant_id?: unknown }).tenant_id : undefined,
    )
    .filter((tenantId) => typeof tenantId === 'string');
