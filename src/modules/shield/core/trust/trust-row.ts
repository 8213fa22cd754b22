import { Column } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

/** A row of whom and what calls may come through: it says who changed it last, when and why. */
export abstract class TrustRow extends TenantRow {
  @Column('text')
  reason!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
