import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A delivery of a webhook that was taken. */
@Entity('github_delivery')
export class GithubDeliveryRow extends TenantRow {
  @PrimaryColumn('uuid')
  integrationId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  deliveryId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt!: Date;
}
