import { Inject, Injectable } from '@nestjs/common';
import { isDevMode } from '../common/config/daemon/auth-mode.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { Listener } from '../common/database/listener.js';
import { TtlCache } from '../common/database/ttl-cache.js';
import { AuditTrail } from '../common/evidence-log/audit-trail.js';
import { TENANT_NAME, TENANT_NAME_FORM } from '../common/keys/tenant-name.js';
import { insertImplicitTenant } from '../common/keys/tenant-rows.js';
import { LOG, type Log } from '../common/observability/log.js';
import { invalid } from '../common/problem/common-problems.js';
import { DISCOVERY_TENANT } from '../common/tenancy/discovery-tenant.js';
import { Tenancy } from '../common/tenancy/tenancy.js';
import type { DaemonCaller } from '../common/bearer-auth/daemon-caller.js';
import { TenantNotRegistered } from '../common/problem/daemon-problems.js';

/** The payload is the name of a tenant whose row is gone (migration 1795400500000). */
const ENDED_CHANNEL = 'svc_tenant_ended';
/**
 * The event and the receipt of a registration; the receipts have a chain of their own, so that nobody waits for them.
 */
const TENANT_REGISTERED = 'tenant.registered';
const EVIDENCE_STREAM = 'tenant';
const REGISTERED = {};

/**
 * Which tenants are registered, and what becomes of the others: a first write registers them, or nobody works in them
 * (docs/decisions/0117).
 */
@Injectable()
export class TenantRegistry {
  private readonly registered: TtlCache<typeof REGISTERED>;
  private readonly registersByWrite: boolean;

  constructor(
    @Inject(SETTINGS) { daemon }: Settings,
    @Inject(LOG) private readonly log: Log,
    listener: Listener,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
  ) {
    const { authMode, jwtCreateTenants } = daemon;
    this.registersByWrite = jwtCreateTenants || (authMode !== undefined && isDevMode(authMode));
    this.registered = new TtlCache(listener, ENDED_CHANNEL, (payload, _, name) => payload === name);
  }

  /** Before a read. One that a first write may register is empty until then. @throws TenantNotRegistered */
  async checkReadable(tenantId: string): Promise<void> {
    if (!this.registersByWrite) await this.isRegistered(tenantId);
  }

  /**
   * Before a write.
   * @returns false where the write has to register the tenant
   * @throws TenantNotRegistered
   */
  async isRegistered(tenantId: string): Promise<boolean> {
    if (this.registered.get(tenantId) ?? (await this.look(tenantId))) return true;
    if (this.registersByWrite) return false;
    throw new TenantNotRegistered(
      { tenant_id: tenantId },
      `Nobody registered the tenant ${tenantId}. Look for a slip in its name, make it with "svc tenant create ${tenantId}", or start the daemon with ` +
        'SVCD_JWT_CREATE_TENANTS=1, so that a first write registers it',
    );
  }

  /**
   * Registers the tenant of the open unit of work, unless somebody else just did.
   * @throws ValidationFailed for what cannot be a tenant's name
   */
  async register(caller: DaemonCaller): Promise<void> {
    const { tenant } = this.tenancy;
    if (!TENANT_NAME.test(tenant) || tenant === DISCOVERY_TENANT)
      throw invalid('tenant_id', `is no name for a new tenant, which is ${TENANT_NAME_FORM}`);
    const isNew = await insertImplicitTenant((sql, parameters) => this.tenancy.query(sql, parameters), tenant);
    if (!isNew) return;
    const { principal } = caller;
    const [kind, facts] = [TENANT_REGISTERED, { tenant_id: tenant, tier: 'free', implicit: true }];
    await this.audit.record(caller, {
      kind,
      stream: EVIDENCE_STREAM,
      subject: `tenant:${tenant}`,
      facts,
      makeEvent: (receipt_id) => ({ kind, subject: tenant, data: { ...facts, actor: principal, receipt_id } }),
    });
    this.tenancy.afterCommit(() => this.log.info({ tenant, principal }, 'a first write registered a tenant'));
  }

  private look(tenantId: string): Promise<typeof REGISTERED | undefined> {
    return this.registered.ask(tenantId, async () => {
      const rows = await this.tenancy.call('select from registered_tenant where name = $1', [tenantId]);
      return rows.length > 0 ? REGISTERED : undefined;
    });
  }
}
