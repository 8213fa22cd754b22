import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DAEMON_SETTINGS } from '../common/config/daemon/daemon-settings.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { routeOf, type RouteRecord } from '../common/contract/contract.js';
import { ProServiceOff } from '../common/problem/daemon-problems.js';

/** Whether the service of the workbench that a route is has been enabled, once its scopes were found to suffice. */
@Injectable()
export class ProServiceGuard implements CanActivate {
  private readonly enabled: ReadonlySet<string>;

  constructor(@Inject(SETTINGS) { daemon }: Settings) {
    this.enabled = new Set(daemon.proServices);
  }

  /** @throws ProServiceOff */
  canActivate(context: ExecutionContext): boolean {
    const objection = serviceObjection(routeOf(context.switchToHttp().getRequest<FastifyRequest>()), this.enabled);
    if (objection) throw objection;
    return true;
  }
}

/** What a route is refused with while its service is not enabled. */
export function serviceObjection(
  route: Pick<RouteRecord, 'service'> | undefined,
  enabled: ReadonlySet<string>,
): ProServiceOff | undefined {
  const service = route?.service;
  if (service === undefined || enabled.has(service)) return undefined;
  const { env } = DAEMON_SETTINGS.proServices;
  return new ProServiceOff({ service, flag: env }, `Add ${service} to ${env} and start the daemon again`);
}
