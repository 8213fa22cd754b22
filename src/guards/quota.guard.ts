import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QuotaSurface } from '../common/config/daemon/quota-surfaces.js';
import type { DaemonCaller } from '../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { QuotaExceeded } from '../common/problem/daemon-problems.js';
import { Tenancy } from '../common/tenancy/tenancy.js';

interface Taken {
  admitted: boolean;
  used: number;
  ends_in: number;
}

/**
 * Quotas of passports by surface (memory-daemon.md 8; D71): after the scopes, so that what is refused for them takes
 * nothing, and before anything of the body is read or spent. What is answered says how much is left, as
 * draft-ietf-httpapi-ratelimit-headers-10 has it.
 */
@Injectable()
export class QuotaGuard implements CanActivate {
  private readonly surfaces: ReadonlyMap<string, QuotaSurface>;

  constructor(
    private readonly tenancy: Tenancy,
    @Inject(SETTINGS) { flags, daemon }: Settings,
  ) {
    const listed = flags.quota ? daemon.quotaSurfaces : [];
    this.surfaces = new Map(listed.map((one) => [one.surface, one]));
  }

  /** @throws QuotaExceeded */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.surfaces.size === 0) return true;
    const http = context.switchToHttp();
    const { daemonCaller, is404, routeOptions } = http.getRequest<FastifyRequest>();
    const listed = is404 || !daemonCaller ? undefined : this.surfaces.get(surfaceOf(routeOptions.url!));
    const tenantId = daemonCaller && tenantOf(daemonCaller);
    if (!listed || tenantId === undefined) return true;
    await this.take(http.getResponse<FastifyReply>(), listed, tenantId, daemonCaller!.principal);
    return true;
  }

  private async take(reply: FastifyReply, listed: QuotaSurface, tenantId: string, principal: string): Promise<void> {
    const { surface, limit, windowSeconds } = listed;
    const [taken] = await this.tenancy.write<Taken>('select * from svc_take_quota($1, $2, $3, $4, $5)', [
      ...[tenantId, principal, surface, limit, windowSeconds],
    ]);
    const { admitted, used, ends_in: endsIn } = taken!;
    void reply
      .header('ratelimit-policy', `"${surface}";q=${limit};w=${windowSeconds}`)
      .header('ratelimit', `"${surface}";r=${limit - used};t=${endsIn}`);
    if (admitted) return;
    throw new QuotaExceeded(
      { surface, limit, window_seconds: windowSeconds, retryAfterSec: endsIn, 'violated-policies': [surface] },
      `All ${limit} requests of ${principal} to ${surface} in ${windowSeconds} seconds are taken; the next are let in after ${endsIn} seconds`,
    );
  }
}

/** `context` of /v1/context/assemble; no surface where the address has none. */
const surfaceOf = (template: string): string => /^\/v1\/([^/:*]+)/.exec(template)?.[1] ?? '';

/** A credential of several tenants that chose none takes from its first, whatever the body will name. */
const tenantOf = ({ homeTenant, tenants }: DaemonCaller): string | undefined =>
  homeTenant ?? (tenants === 'any' ? undefined : tenants[0]);
