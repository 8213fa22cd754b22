import { Column, Entity } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

/** The counter of a tenant's policy; without a row it is at 1. */
@Entity('shield_policy')
export class PolicyRow extends TenantRow {
  @Column('integer')
  version!: number;

  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
