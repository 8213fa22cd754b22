import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { LOG, type Log } from '../../common/observability/log.js';
import { Metrics } from '../../common/observability/metrics.js';
import { invalid } from '../../common/problem/house-problems.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { coversTenant, type DaemonCaller } from '../auth/daemon-caller.js';
import { TenantMismatch } from '../problems/daemon-problems.js';

/**
 * Where a caller of the daemon enters a tenant. An admin scope opens any tenant, one at a time and under the same row-level security as anyone;
 * each time that is not its own is counted and logged (memory-daemon.md 5.3; D6).
 */
@Injectable()
export class TenantDoor {
  private readonly crossings: Counter<'reason'>;

  constructor(
    private readonly tenancy: Tenancy,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
  ) {
    this.crossings = metrics.counter(
      'svc_cross_tenant_total',
      'Units of work that could see more than one tenant, by reason.',
      ['reason'],
    );
  }

  /**
   * Runs `work` as a tenant: the one named, else the caller's own.
   * @throws TenantMismatch for one that the credential does not cover; ValidationFailed where none is named and the credential covers several
   */
  run<T>(caller: DaemonCaller, tenantId: string | undefined, work: () => Promise<T>): Promise<T> {
    return this.tenancy.run(this.enter(caller, tenantId), work);
  }

  /** The tenant that `run` would work in, for a statement that sets it itself. @throws as `run` does */
  enter(caller: DaemonCaller, tenantId = caller.homeTenant): string {
    if (tenantId === undefined)
      throw invalid('headers.x-svc-tenant-id', 'is needed: the credential covers several tenants');
    if (tenantId !== caller.homeTenant) this.check(caller, tenantId);
    if (isCrossing(caller, tenantId)) {
      this.crossings.inc({ reason: 'admin scope' });
      this.log.info({ principal: caller.principal, tenant: tenantId }, 'an admin scope entered a tenant');
    }
    return tenantId;
  }

  /** @throws TenantMismatch */
  check(caller: DaemonCaller, tenantId: string): void {
    if (caller.isAdmin || coversTenant(caller, tenantId)) return;
    throw new TenantMismatch(
      { tenant_id: tenantId },
      caller.tenants.length === 0
        ? 'The token covers no tenant, which this route asks for: it has neither tenant_id nor tenants'
        : 'The credential does not cover this tenant_id',
    );
  }
}

/** Whether only the admin scope lets the caller in: a tenant that is not its own, or not where a credential that is bound to none works anyhow. */
function isCrossing(caller: DaemonCaller, tenantId: string): boolean {
  const { isAdmin, tenants, homeTenant, selectedTenant } = caller;
  if (!isAdmin) return false;
  if (tenantId === homeTenant && (selectedTenant === undefined || tenants === 'any')) return false;
  return tenants === 'any' || !tenants.includes(tenantId);
}
