import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../common/contract/contract.js';
import { Unauthorized } from '../common/problem/common-problems.js';
import { REMEDIES } from './caller.guard.js';
import { checkNamed, namedInBody, takeFromBody } from './named-tenants.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of the API key has to stand in the body: the head of the request names none. */
    namesTenantInBody?: true;
  }
}

/** Every tenant that the body names must be the caller's. It is the one check of a caller that needs the body. */
@Injectable()
export class BodyTenantGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller, body, namesTenantInBody } = request;
    const route = routeOf(request);
    if (!caller || !route || route.access.kind === 'tool') return true;
    const named = namedInBody(body);
    if (namesTenantInBody && named[0]?.tenant !== caller.tenantId) throw new Unauthorized({}, REMEDIES.any);
    checkNamed(named, caller);
    takeFromBody(body, route.inputs);
    return true;
  }
}
