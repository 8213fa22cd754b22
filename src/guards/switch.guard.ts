import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isOfTenantApi, type DaemonCaller } from '../common/bearer-auth/daemon-caller.js';
import { isDevMode } from '../common/config/daemon/auth-mode.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { routeOf, type RouteRecord } from '../common/contract/contract.js';
import { Listener } from '../common/database/listener.js';
import { TtlCache } from '../common/database/ttl-cache.js';
import { SwitchedOff } from '../common/problem/daemon-problems.js';
import { Tenancy } from '../common/tenancy/tenancy.js';
import { namedInRequest } from './named-tenants.js';

/** A standing kill switch that denies. */
interface Stop {
  kill_switch_id: string;
  /** Whom it stops; null: everybody in the tenant. */
  principal: string | null;
  include_reads: boolean;
  reason: string;
}

/**
 * Kill switches that deny all of a tenant, or all of one principal, at the routes of the daemon: by what this process
 * knows, which follows within a second (docs/decisions/0416). All else of the shield is decided on at the API, and
 * before calls of tools.
 */
@Injectable()
export class SwitchGuard implements CanActivate {
  private readonly stops: TtlCache<Stop[]>;
  private readonly believesCallers: boolean;

  constructor(
    private readonly tenancy: Tenancy,
    listener: Listener,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.stops = new TtlCache(listener, 'svc_shield_changed', (tenant, _, name) => name === tenant);
    this.believesCallers = daemon.authMode !== undefined && isDevMode(daemon.authMode);
  }

  /** @throws SwitchedOff */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { daemonCaller: caller } = request;
    const route = routeOf(request);
    if (!caller || !route || !this.isKnown(caller)) return true;
    for (const tenantId of tenantsOf(request, caller)) {
      const stops = this.stops.get(tenantId) ?? (await this.ask(tenantId));
      const found = stops.find((stop) => concerns(stop, caller, route));
      if (found) throw new SwitchedOff({}, messageOf(found, tenantId));
    }
    return true;
  }

  /** As calls of tools are: no more than its own word makes nobody one whom a tenant's switch could name. */
  private isKnown(caller: DaemonCaller): boolean {
    if (caller.tenants === 'any' || caller.authType === 'peer') return false;
    return isOfTenantApi(caller) || !this.believesCallers;
  }

  private async ask(tenantId: string): Promise<Stop[]> {
    const ask = () => this.tenancy.call<Stop>('select * from svc_shield_stops($1)', [tenantId]);
    return (await this.stops.ask(tenantId, ask))!;
  }
}

/** Those that the request names, else the one that it works in. */
function tenantsOf(request: FastifyRequest, { homeTenant }: DaemonCaller): Iterable<string> {
  const named = namedInRequest(request);
  if (named.length > 0) return new Set(named.map(({ tenant }) => tenant));
  return homeTenant === undefined ? [] : [homeTenant];
}

const concerns = ({ principal, include_reads }: Stop, caller: DaemonCaller, route: RouteRecord): boolean =>
  (principal === null || principal === caller.principal) && (include_reads || changesSomething(route));

/** A POST whose scopes only read asks for what a GET has no place for. */
const changesSomething = ({ verb, access }: RouteRecord): boolean =>
  verb !== 'GET' && !(access.kind === 'scopes' && access.scopes.every((scope) => scope.endsWith(':read')));

const messageOf = ({ kill_switch_id: id, reason }: Stop, tenantId: string): string =>
  `Kill switch ${id} of ${tenantId} stops this: ${reason}. An owner lifts it: DELETE /v1/shield/kill-switches/${id} of the tenant API`;
