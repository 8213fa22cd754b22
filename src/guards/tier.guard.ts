import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { isTierAdmitted } from '../common/contract/admission.js';
import { ROUTE, type RouteRecord } from '../common/contract/contract.js';
import { Forbidden } from '../common/problem/house-problems.js';

/** A route for paying tenants refuses the free tier (tenant-api.md 4.8, D14). */
@Injectable()
export class TierGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.reflector.get<RouteRecord>(ROUTE, context.getHandler());
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (caller && !isTierAdmitted(route, caller))
      throw new Forbidden({ policy: 'paid_tier' }, 'This is not part of the free tier');
    return true;
  }
}
