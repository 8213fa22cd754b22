import { Column, Entity } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** What a tenant has set for all who call in it; without a row nothing is. */
@Entity('tenant_setting')
export class TenantSettingRow extends TenantRow {
  /** Null: the default. It may name a set that an earlier version had. */
  @Column('text', { nullable: true })
  toolSet!: string | null;

  /** Who set it last, and when. */
  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
