import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isRoleAdmitted } from '../common/contract/access-rules.js';
import { routeOf, type Access } from '../common/contract/contract.js';
import { Forbidden } from '../common/problem/common-problems.js';

/** The caller's seat role must be one the route lists (tenant-api.md 5, item 12). */
@Injectable()
export class SeatGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeOf(request);
    if (!route || route.access.kind === 'anyone') return true;
    const { caller } = request;
    if (!caller || !isRoleAdmitted(route, caller)) throw new Forbidden({}, whatIsNeeded(route.access, caller?.role));
    return true;
  }
}

function whatIsNeeded(access: Access, role: string | undefined): string {
  if (access.kind === 'tool') return 'This is for API keys; agents without one call POST /rpc';
  if (access.kind !== 'seats') return 'This is for agents that registered themselves';
  if (role === 'discovery') return 'An agent without a sponsor may only discover; ask a tenant to sponsor it';
  return `This needs a seat with the role ${access.roles.join(' or ')}`;
}
