import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isTierAdmitted } from '../common/contract/access-rules.js';
import { routeOf } from '../common/contract/contract.js';
import { Forbidden } from '../common/problem/common-problems.js';

/** A route for paying tenants refuses the free tier (tenant-api.md 4.8, D14). */
@Injectable()
export class TierGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeOf(request);
    const { caller } = request;
    if (route && caller && !isTierAdmitted(route, caller))
      throw new Forbidden({ policy: 'paid_tier' }, 'This is not part of the free tier');
    return true;
  }
}
