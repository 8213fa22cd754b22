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
import { inactiveTenant, TENANT_CHANGED, TENANT_STREAM, type TenantState } from '../common/tenancy/tenant-state.js';
import type { DaemonCaller, Identity } from '../common/bearer-auth/daemon-caller.js';
import { TenantInactive, TenantNotRegistered } from '../common/problem/daemon-problems.js';

/**
 * The event and the receipt of a registration; the receipts have a chain of their own, so that nobody waits for them.
 */
const TENANT_REGISTERED = 'tenant.registered';

interface Registered {
  state: TenantState;
}

/**
 * Which tenants are registered, and what becomes of the others: a first write registers them, or nobody works in them
 * (docs/decisions/0117). Nobody works in one that is not active (docs/decisions/0135).
 */
@Injectable()
export class TenantRegistry {
  private readonly registered: TtlCache<Registered>;
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
    this.registered = new TtlCache(listener, TENANT_CHANGED, (payload, _, name) => payload === name);
  }

  /**
   * Before a read. One that a first write may register is empty until then.
   * @throws TenantNotRegistered, TenantInactive
   */
  async checkReadable(tenantId: string): Promise<void> {
    await this.isRegistered(tenantId);
  }

  /** A credential of nothing but tenants that are not active is refused wherever it is sent. @throws TenantInactive */
  async checkCredential({ tenants }: Identity): Promise<void> {
    if (tenants === 'any' || tenants.length === 0) return;
    if (tenants.some((tenantId) => this.registered.get(tenantId)?.state === 'active')) return;
    const states = await Promise.all(tenants.map(async (tenantId) => (await this.find(tenantId))?.state));
    const [first] = states;
    if (first !== undefined && !states.some((state) => state === undefined || state === 'active')) checkActive(first);
  }

  /** Whether work goes on in a tenant that was entered before. */
  async isActive(tenantId: string): Promise<boolean> {
    return ((await this.find(tenantId))?.state ?? 'active') === 'active';
  }

  /**
   * Before a write.
   * @returns false where the write has to register the tenant
   * @throws TenantNotRegistered, TenantInactive
   */
  async isRegistered(tenantId: string): Promise<boolean> {
    const found = await this.find(tenantId);
    if (found) checkActive(found.state);
    if (found) return true;
    if (this.registersByWrite) return false;
    throw new TenantNotRegistered(
      { tenant_id: tenantId },
      `Nobody registered the tenant ${tenantId}. Look for a slip in its name, make it with "svc tenant create ${tenantId}", or start the daemon with ` +
        'SVCD_JWT_CREATE_TENANTS=1, so that a first write registers it',
    );
  }

  /**
   * Registers the tenant of the open unit of work, unless somebody else just did.
   * @throws ValidationFailed for what cannot be a tenant's name; TenantInactive for one that was deleted meanwhile
   */
  async register(caller: DaemonCaller): Promise<void> {
    const { tenant } = this.tenancy;
    if (!TENANT_NAME.test(tenant) || tenant === DISCOVERY_TENANT)
      throw invalid('tenant_id', `is no name for a new tenant, which is ${TENANT_NAME_FORM}`);
    const isNew = await insertImplicitTenant((sql, parameters) => this.tenancy.query(sql, parameters), tenant);
    if (!isNew) return this.checkPresent(tenant);
    const { principal } = caller;
    const facts = { tenant_id: tenant, tier: 'free', implicit: true };
    await this.audit.record(caller, {
      kind: TENANT_REGISTERED,
      stream: TENANT_STREAM,
      subject: `tenant:${tenant}`,
      facts,
      makeEvent: (receipt_id) => ({
        kind: TENANT_REGISTERED,
        subject: tenant,
        data: { ...facts, actor: principal, receipt_id },
      }),
    });
    this.tenancy.afterCommit(() => this.log.info({ tenant, principal }, 'a first write registered a tenant'));
  }

  private async checkPresent(tenantId: string): Promise<void> {
    const [row] = await this.tenancy.query<Registered>('select state from tenant where tenant_id = $1', [tenantId]);
    if (row) checkActive(row.state);
  }

  private async find(tenantId: string): Promise<Registered | undefined> {
    const known = this.registered.get(tenantId);
    if (known) return known;
    return this.registered.ask(
      tenantId,
      async () => (await this.tenancy.call<Registered>('select * from svc_find_tenant($1)', [tenantId]))[0],
    );
  }
}

/** @throws TenantInactive */
function checkActive(state: TenantState): void {
  if (state === 'active') return;
  throw new TenantInactive({ hint: 'Use a credential of another tenant' }, inactiveTenant(state));
}
