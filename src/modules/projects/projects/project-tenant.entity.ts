import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A tenant that a project works in. */
@Entity('project_tenant')
export class ProjectTenantRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  /** '' for the project itself. */
  @PrimaryColumn('text', { collation: 'C', default: '' })
  planeId!: string;

  /** The tenant that is linked; tenantId is the one whose row this is. */
  @PrimaryColumn('text', { collation: 'C' })
  linkedTenantId!: string;

  @Column('text', { nullable: true })
  defaultPassportId!: string | null;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
