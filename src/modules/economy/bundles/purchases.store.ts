import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { BundlePurchaseRow } from './bundle-purchase.entity.js';
import { EntitlementRow } from './entitlement.entity.js';

/** What the open unit of work's tenant bought. */
@Injectable()
export class PurchasesStore {
  private readonly purchases: TenantRepository<BundlePurchaseRow>;
  private readonly entitlements: TenantRepository<EntitlementRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.purchases = new TenantRepository(tenancy, BundlePurchaseRow);
    this.entitlements = new TenantRepository(tenancy, EntitlementRow);
  }

  /**
   * From here to the end of the unit of work the tenant buys nothing else: of two bundles with the same corpora the
   * second is seen for what it is.
   */
  async holdPurchases(): Promise<void> {
    await this.tenancy.lock('purchases');
  }

  /** @returns undefined when it was bought before */
  record(purchase: Omit<BundlePurchaseRow, 'tenantId' | 'purchasedAt'>): Promise<BundlePurchaseRow | undefined> {
    return this.purchases.insertNew(purchase);
  }

  /** From the commit on the tenant finds what is entitled_only in these corpora. */
  async entitle(publisherTenantId: string, corpora: string[]): Promise<void> {
    await this.entitlements.insertAllNew(corpora.map((corpusId) => ({ publisherTenantId, corpusId })));
  }

  /** Notifies the publisher of a sale, by a separate event. */
  async notifySale(publisher: string, bundleId: string, facts: object): Promise<void> {
    await this.tenancy.query('select svc_tell_sale($1, $2, $3, $4)', [
      publisher,
      uuid(),
      bundleId,
      JSON.stringify(facts),
    ]);
  }

  /** How many tenants bought a bundle of the tenant. */
  async countSales(bundleId: string): Promise<number> {
    const [row] = await this.tenancy.query<{ sales: number }>('select svc_count_bundle_sales($1, $2)::int as sales', [
      this.tenancy.tenant,
      bundleId,
    ]);
    return row!.sales;
  }
}
