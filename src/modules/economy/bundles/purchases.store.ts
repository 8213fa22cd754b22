import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

export interface NewPurchase {
  purchaseId: string;
  publisher: string;
  bundleId: string;
  agentId: string;
  corpora: string[];
  priceCredits: number;
  purchasedBy: string;
}

/** What the open unit of work's tenant bought. */
@Injectable()
export class PurchasesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * From here to the end of the unit of work the tenant buys nothing else: of two bundles with the same corpora the
   * second is seen for what it is.
   */
  async holdPurchases(): Promise<void> {
    await this.tenancy.query(`select pg_advisory_xact_lock(hashtextextended('purchases of ' || $1, 0))`, [
      this.tenancy.tenant,
    ]);
  }

  /** @returns undefined when it was bought before */
  async record(purchase: NewPurchase): Promise<Date | undefined> {
    const [row] = await this.tenancy.query<{ purchased_at: Date }>(
      `insert into bundle_purchase (tenant_id, purchase_id, publisher_tenant_id, bundle_id, agent_id, corpora, price_credits, purchased_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (tenant_id, publisher_tenant_id, bundle_id) do nothing returning purchased_at`,
      [
        this.tenancy.tenant,
        purchase.purchaseId,
        purchase.publisher,
        purchase.bundleId,
        purchase.agentId,
        purchase.corpora,
        purchase.priceCredits,
        purchase.purchasedBy,
      ],
    );
    return row?.purchased_at;
  }

  /** From the commit on the tenant finds what is entitled_only in these corpora. */
  async entitle(publisher: string, corpora: string[]): Promise<void> {
    await this.tenancy.query(
      `insert into entitlement (tenant_id, publisher_tenant_id, corpus_id) select $1, $2, w.corpus_id from unnest($3::text[]) w(corpus_id)
       on conflict do nothing`,
      [this.tenancy.tenant, publisher, corpora],
    );
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
