import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** That a package is installed in a tenant, and where its layers are. */
@Entity('studio_install')
export class StudioInstallRow extends TenantRow {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  packageId!: string;

  /** Empty for a package without layers. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  projectId!: string;

  @Column('text')
  version!: string;

  @Column('text')
  digest!: string;

  /** By `type:name`, the digest of each item as it was written. */
  @Column('jsonb')
  items!: Record<string, string>;

  @Column('uuid')
  receiptId!: string;

  @Column('text')
  installedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  installedAt!: Date;
}
