import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A group as an identity provider keeps it by SCIM. */
@Entity('scim_group')
export class ScimGroupRow extends TenantRow {
  @PrimaryColumn('uuid')
  groupId!: string;

  @Column('text')
  displayName!: string;

  @Column('text', { nullable: true })
  externalId!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
