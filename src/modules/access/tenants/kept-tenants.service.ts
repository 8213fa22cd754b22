import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ErasureList } from '../../../common/erasures/erasure-list.js';
import { keysById } from '../../../common/evidence-log/evidence-look.js';
import { KnownKeys } from '../../../common/evidence-log/known-keys.js';
import { isSaidDeleted } from '../../../common/evidence-log/removed-records.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { UserError } from '../../../common/user-error.js';
import { ERASURE } from './record-erasure.service.js';
import { TenantJournal } from './tenant-journal.service.js';
import { TenantStatesStore } from './tenant-states.store.js';

/** A tenant whose erasure has begun. */
export interface BegunErasure {
  readonly tenant_id: string;
  readonly erasure_began_at: Date;
}

/**
 * Tenants in the list of erasures, by which a restore deletes them again: whoever is erased is entered before a row
 * goes, and what a restore has marked is deleted by a receipt before it is erased again.
 */
@Injectable()
export class KeptTenants {
  private readonly list: ErasureList;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly store: TenantStatesStore,
    private readonly journal: TenantJournal,
    private readonly keys: KnownKeys,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.list = new ErasureList(settings);
  }

  /** All that are not entered: erased by an older version, or before the list was lost. */
  async keepAll(): Promise<void> {
    const begun = await this.crossTenant.run('tenant erasure', (query) => query<BegunErasure>(BEGUN));
    for (const tenant of begun) await this.keep(tenant);
  }

  /**
   * A tenant that somebody marked past the application is left out: a restore must be able to bring it back.
   * @throws UserError where the list cannot be written: nothing may be erased that a restore would bring back
   */
  async keep({ tenant_id: tenantId, erasure_began_at: at }: BegunErasure): Promise<void> {
    try {
      if (this.list.findTenant(tenantId)) return;
      const isDeleted = await this.crossTenant.run('tenant erasure', (query) => this.isSaidDeleted(query, tenantId));
      if (isDeleted) this.list.keepTenant(tenantId, at);
    } catch (error) {
      throw new UserError(
        `No row of ${tenantId} is erased yet: the list of erasures in ${this.list.place} cannot be written (${(error as Error).message}), ` +
          'and a restore would bring the tenant back. It goes on once the list can be written',
      );
    }
  }

  /**
   * Of a tenant that a restore has brought back and marked as deleted: its own receipts do not say so yet, and holds of
   * the backup that were placed before its erasure had been released by then.
   */
  async deleteRestored(tenantId: string): Promise<void> {
    const kept = this.list.findTenant(tenantId);
    if (!kept) return;
    await this.tenancy.run(tenantId, async () => {
      const tenant = await this.store.lock();
      if (tenant?.state !== 'deleted' || tenant.erasure_began_at !== null) return;
      const held = await this.query(EARLIER_HOLDS, [tenantId, kept.erased_at]);
      if (held.length === 0 && (await this.isSaidDeleted(this.query, tenantId))) return;
      const receiptId = await this.journal.note(ERASURE, 'tenant.deleted', { reason: tenant.state_reason });
      await this.query(RELEASE_EARLIER, [tenantId, kept.erased_at, ERASURE.principal, receiptId]);
    });
  }

  private async isSaidDeleted(query: Query, tenantId: string): Promise<boolean> {
    return isSaidDeleted(query, tenantId, await keysById(query, this.keys));
  }

  private readonly query: Query = (sql, parameters) => this.tenancy.query(sql, parameters);
}

const BEGUN = 'select tenant_id, erasure_began_at from tenant where erasure_began_at is not null order by tenant_id';
const EARLIER_HOLDS =
  'select from legal_hold where tenant_id = $1 and released_at is null and placed_at < $2::timestamptz';
const RELEASE_EARLIER = `
  update legal_hold set released_by = $3, released_at = clock_timestamp(), release_receipt = $4
  where tenant_id = $1 and released_at is null and placed_at < $2::timestamptz`;
