import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { isGateOpen } from '../common/contract/admission.js';
import { GATE_VARIABLES, ROUTE, type RouteRecord } from '../common/contract/contract.js';
import { FeatureDisabled, unknownAddress } from '../common/problem/house-problems.js';

/** A route behind a feature flag that is off answers 412; that of self-signup is then as if it were not there (D14, D22). */
@Injectable()
export class GateGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.reflector.get<RouteRecord>(ROUTE, context.getHandler());
    const { gate } = route;
    if (!gate || isGateOpen(route, this.settings)) return true;
    if (gate === 'selfSignup') throw unknownAddress();
    throw new FeatureDisabled(
      { feature: GATE_VARIABLES[gate] },
      `Set ${GATE_VARIABLES[gate]}=1 on the server to use this route`,
    );
  }
}
