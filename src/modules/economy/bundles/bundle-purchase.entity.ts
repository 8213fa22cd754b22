import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** What a tenant bought, as it was then: the bundle may change or be withdrawn. */
@Entity('bundle_purchase')
export class BundlePurchaseRow extends TenantRow {
  @PrimaryColumn('uuid')
  purchaseId!: string;

  @Column('text')
  publisherTenantId!: string;

  @Column('uuid')
  bundleId!: string;

  @Column('text')
  agentId!: string;

  @Column('text', { array: true })
  corpora!: string[];

  @Column(SAFE_INTEGER)
  priceCredits!: number;

  @Column('text')
  purchasedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  purchasedAt!: Date;
}
