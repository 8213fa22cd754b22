import { Injectable } from '@nestjs/common';
import type { Tier } from '../../../common/contract/caller.js';
import { OPERATOR } from '../../../common/evidence-log/audit-trail.js';
import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { UserError } from '../../../common/user-error.js';
import { SeatBillingService } from '../seats/seat-billing.service.js';
import { TenantJournal } from './tenant-journal.service.js';
import { TenantStatesStore } from './tenant-states.store.js';
import type { TenantChange, TenantStanding } from './tenants.types.js';

/**
 * What an operator does with tenants. Each act is one transaction with its event and its receipt; its NOTIFY reaches
 * every process. An act that changes nothing leaves nothing.
 */
@Injectable()
export class TenantsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: TenantStatesStore,
    private readonly billing: SeatBillingService,
    private readonly journal: TenantJournal,
  ) {}

  setTier(tenantId: string, tier: Tier): Promise<TenantChange> {
    return this.act(tenantId, async (tenant) => {
      if (tenant.state === 'deleted') throw wasDeleted(tenant);
      if (tenant.tier === tier) return unchanged(tenant);
      const changed = await this.billing.track(OPERATOR, () => this.store.setTier(tier));
      await this.journal.note(OPERATOR, 'tenant.tier_changed', { tier, formerTier: tenant.tier });
      return { tenant: changed, changed: true };
    });
  }

  suspend(tenantId: string, reason: string): Promise<TenantChange> {
    return this.act(tenantId, async (tenant) => {
      if (tenant.state === 'deleted') throw wasDeleted(tenant);
      if (tenant.state === 'suspended') return unchanged(tenant);
      return this.move('suspended', 'tenant.suspended', reason);
    });
  }

  /** Out of a suspension, or back from a deletion whose erasure has not begun. */
  resume(tenantId: string, reason: string): Promise<TenantChange> {
    return this.act(tenantId, async (tenant) => {
      if (tenant.erasure_began_at) throw isErased(tenant);
      if (tenant.state === 'active') return unchanged(tenant);
      return this.move('active', 'tenant.resumed', reason);
    });
  }

  delete(tenantId: string, reason: string | null): Promise<TenantChange> {
    return this.act(tenantId, async (tenant) => {
      if (tenant.state === 'deleted') return unchanged(tenant);
      return this.move('deleted', 'tenant.deleted', reason);
    });
  }

  /** Lets the erasure of a deleted tenant begin before its 30 days are over. */
  endGrace(tenantId: string): Promise<TenantChange> {
    return this.act(tenantId, async (tenant) => {
      if (tenant.state !== 'deleted')
        throw new UserError(`${tenantId} is ${tenant.state}; delete it first: svc tenant delete ${tenantId}`);
      if (tenant.erase_after! <= new Date()) return unchanged(tenant);
      return { tenant: await this.store.endGrace(), changed: true };
    });
  }

  private async move(state: TenantStanding['state'], kind: string, reason: string | null): Promise<TenantChange> {
    const tenant = await this.store.setState(state, reason);
    const eraseAfter = tenant.erase_after?.toISOString();
    await this.journal.note(OPERATOR, kind, { reason, ...(eraseAfter === undefined ? {} : { eraseAfter }) });
    return { tenant, changed: true };
  }

  /** @throws UserError where there is no such tenant, or it is the server's own */
  private act(tenantId: string, work: (tenant: TenantStanding) => Promise<TenantChange>): Promise<TenantChange> {
    if (tenantId === DISCOVERY_TENANT)
      throw new UserError(`${tenantId} is for agents that registered themselves; it stays as it is`);
    return this.tenancy.run(tenantId, async () => {
      const tenant = await this.store.lock();
      if (!tenant) throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
      return work(tenant);
    });
  }
}

const unchanged = (tenant: TenantStanding): TenantChange => ({ tenant, changed: false });

function wasDeleted(tenant: TenantStanding): UserError {
  if (tenant.erasure_began_at) return isErased(tenant);
  return new UserError(`${tenant.tenant_id} was deleted; bring it back first: svc tenant resume ${tenant.tenant_id}`);
}

const isErased = ({ tenant_id, erased_at }: TenantStanding): UserError =>
  new UserError(
    erased_at
      ? `The data of ${tenant_id} was erased; nothing brings it back, and its name is not given to another`
      : `The data of ${tenant_id} is being erased; nothing brings it back`,
  );
