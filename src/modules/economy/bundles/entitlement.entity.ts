import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** The tenant finds what is entitled_only in a corpus of another. */
@Entity('entitlement')
export class EntitlementRow extends TenantRow {
  @PrimaryColumn('text')
  publisherTenantId!: string;

  @PrimaryColumn('text')
  corpusId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  grantedAt!: Date;
}
