import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../common/contract/contract.js';
import { requirePaidTier } from '../common/contract/part-refusals.js';

/** A route for paying tenants refuses the free tier (tenant-api.md 4.8, D14). */
@Injectable()
export class TierGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeOf(request);
    const { caller } = request;
    if (route?.paidTier && caller) requirePaidTier(caller);
    return true;
  }
}
