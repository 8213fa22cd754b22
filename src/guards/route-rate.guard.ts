import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../common/contract/contract.js';
import { RateLimiter } from '../common/ingress/rate-limiter.js';
import { RateLimited } from '../common/problem/daemon-problems.js';

/** Routes that take so many requests a second and no more, whoever calls (`ratePerSecond` of their declaration). */
@Injectable()
export class RouteRateGuard implements CanActivate {
  private readonly limiters = new Map<string, RateLimiter>();

  /** @throws RateLimited */
  canActivate(context: ExecutionContext): boolean {
    const route = routeOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (route?.ratePerSecond === undefined) return true;
    const { address, ratePerSecond } = route;
    const retryAfterSec = this.limiterOf(address, ratePerSecond).take(address);
    if (retryAfterSec === 0) return true;
    throw new RateLimited({ retryAfterSec }, `${address} takes ${ratePerSecond} requests a second`);
  }

  private limiterOf(address: string, perSecond: number): RateLimiter {
    const known = this.limiters.get(address);
    if (known) return known;
    const limiter = new RateLimiter({ perSecond, burst: perSecond });
    this.limiters.set(address, limiter);
    return limiter;
  }
}
