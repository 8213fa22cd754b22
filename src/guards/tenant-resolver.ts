import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { LOG, type Log } from '../common/observability/log.js';
import { Metrics } from '../common/observability/metrics.js';
import { invalid } from '../common/problem/common-problems.js';
import type { Problem } from '../common/problem/problem.js';
import type { Query } from '../common/tenancy/cross-tenant.js';
import { Tenancy } from '../common/tenancy/tenancy.js';
import { coversTenant, type DaemonCaller } from '../common/bearer-auth/daemon-caller.js';
import { TenantMismatch } from '../common/problem/daemon-problems.js';
import { PassportStandings } from './passport-standings.js';
import { TenantRegistry } from './tenant-registry.js';

/**
 * Resolves the tenant that a caller of the daemon works in. An admin scope opens any tenant, one at a time and under
 * the same row-level security as anyone; each time that is not its own is counted and logged (memory-daemon.md 5.3;
 * D6).
 */
@Injectable()
export class TenantResolver {
  private readonly crossings: Counter<'reason'>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly registry: TenantRegistry,
    private readonly standings: PassportStandings,
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
   * Runs `work`, which reads, as a tenant: the one named, else the caller's own.
   * @throws TenantMismatch for one that the credential does not cover, or where it covers none; ValidationFailed where
   * none is named and the credential covers several; PassportRevoked, TenantNotRegistered, TenantInactive; FenceStale
   * of a request that may change something
   */
  async run<T>(caller: DaemonCaller, tenantId: string | undefined, work: () => Promise<T>): Promise<T> {
    const entered = await this.enter(caller, tenantId);
    return this.tenancy.run(entered, async () => {
      await caller.checkFence?.();
      return work();
    });
  }

  /** The same for what reads in several statements what was true at one moment. @throws as `run` does */
  async runOnSnapshot<T>(caller: DaemonCaller, tenantId: string | undefined, work: () => Promise<T>): Promise<T> {
    return this.tenancy.runOnSnapshot(await this.enter(caller, tenantId), work);
  }

  /** The tenant that `run` would work in, for a statement that sets it itself. @throws as `run` does */
  async enter(caller: DaemonCaller, tenantId?: string): Promise<string> {
    const chosen = await this.choose(caller, tenantId);
    await this.registry.checkReadable(chosen);
    return chosen;
  }

  /**
   * Runs `work`, which writes, as `run` does. A tenant that is not registered yet is registered in the same
   * transaction.
   * @param wait what waits for its turn, in the transaction and before anything is written: one that has written holds
   * back the events of all tenants
   * @throws as `run` does
   */
  async write<T>(
    caller: DaemonCaller,
    tenantId: string | undefined,
    work: () => Promise<T>,
    wait?: () => Promise<void>,
  ): Promise<T> {
    const chosen = await this.choose(caller, tenantId);
    const isRegistered = await this.registry.isRegistered(chosen);
    return this.tenancy.run(chosen, async () => {
      await wait?.();
      await caller.checkFence?.();
      if (!isRegistered) await this.registry.register(caller);
      return work();
    });
  }

  /**
   * As `write`, for a statement that sets the tenant itself and is a transaction of its own, in one round trip.
   * @param work is given the open unit of work where the statement has to be part of one: the tenant is registered in
   * it, or the fence of the request checked
   */
  async writeAlone<T>(
    caller: DaemonCaller,
    tenantId: string | undefined,
    work: (tenantId: string, unit?: Query) => Promise<T>,
  ): Promise<T> {
    const chosen = await this.choose(caller, tenantId);
    const isRegistered = await this.registry.isRegistered(chosen);
    if (isRegistered && !caller.checkFence) return work(chosen);
    return this.tenancy.run(chosen, async () => {
      await caller.checkFence?.();
      if (!isRegistered) await this.registry.register(caller);
      return work(chosen, (sql, parameters) => this.tenancy.query(sql, parameters));
    });
  }

  private async choose(caller: DaemonCaller, tenantId = caller.homeTenant): Promise<string> {
    if (tenantId === undefined) throw this.noneChosen(caller);
    if (tenantId !== caller.homeTenant) this.check(caller, tenantId);
    await this.standings.check(tenantId, caller.passport);
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
      caller.tenants.length === 0 ? NO_TENANT_CLAIM : 'The credential does not cover this tenant_id',
    );
  }

  /** Of a credential that leaves open where it works, where the request does so too. */
  noneChosen({ tenants }: DaemonCaller): Problem {
    if (tenants.length === 0) return new TenantMismatch({}, NO_TENANT_CLAIM);
    return invalid('headers.x-svc-tenant-id', 'is needed: the credential covers several tenants');
  }
}

const NO_TENANT_CLAIM =
  'The token covers no tenant: it has neither tenant_id nor tenants. Have its issuer add one ("svc token --tenant" does), or start the daemon with ' +
  'SVCD_JWT_DEFAULT_TENANT, the tenant of tokens that name none';

/**
 * Whether only the admin scope lets the caller in: a tenant that is not its own, or not where a credential that is
 * bound to none works anyhow.
 */
function isCrossing(caller: DaemonCaller, tenantId: string): boolean {
  const { isAdmin, tenants, homeTenant, selectedTenant } = caller;
  if (!isAdmin) return false;
  if (tenantId === homeTenant && (selectedTenant === undefined || tenants === 'any')) return false;
  return tenants === 'any' || !tenants.includes(tenantId);
}
