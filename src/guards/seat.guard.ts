import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { isRoleAdmitted } from '../common/contract/admission.js';
import { ROUTE, type Access, type RouteRecord } from '../common/contract/contract.js';
import { Forbidden } from '../common/problem/house-problems.js';

/** The caller's seat role must be one the route lists (tenant-api.md 5, item 12). */
@Injectable()
export class SeatGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.reflector.get<RouteRecord>(ROUTE, context.getHandler());
    if (route.access.kind === 'anyone') return true;
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
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
