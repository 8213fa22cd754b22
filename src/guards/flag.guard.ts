import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { isFlagOn } from '../common/contract/access-rules.js';
import { routeOf } from '../common/contract/contract.js';
import { requireFeature } from '../common/contract/part-refusals.js';
import { isFeature } from '../common/config/feature-flags.js';
import { unknownAddress } from '../common/problem/common-problems.js';

/**
 * A route behind a feature flag that is off answers 412; that of self-signup is then as if it were not there (D14,
 * D22).
 */
@Injectable()
export class FlagGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    const route = routeOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (!route?.flag || !isFeature(route.flag) || isFlagOn(route, this.settings)) return true;
    if (route.flag === 'selfSignup') throw unknownAddress();
    requireFeature(route.flag, this.settings);
    return true;
  }
}
