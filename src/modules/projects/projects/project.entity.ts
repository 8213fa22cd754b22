import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

@Entity('project')
export class ProjectRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  defaultPassportId!: string;

  @Column('text', { nullable: true })
  planningTarget!: string | null;

  @Column('boolean', { default: false })
  archived!: boolean;

  /** Its layers are the workspace's. */
  @Column('boolean', { default: false })
  isDefault!: boolean;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  /** Counts its changes, those of its links and planes too. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** Since when it is hidden; its id stays taken. */
  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;

  /** The tenants that it is linked to, by name. */
  @VirtualColumn('text', {
    query: (one) =>
      `array(select t.linked_tenant_id from project_tenant t where t.tenant_id = ${one}.tenant_id and t.project_id = ${one}.project_id and t.plane_id = '' order by 1)`,
  })
  workingTenants!: string[];
}
