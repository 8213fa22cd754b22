import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A passport that takes part in a project, or in one of its planes. */
@Entity('project_passport')
export class ProjectPassportRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  /** '' for the project itself. */
  @PrimaryColumn('text', { collation: 'C', default: '' })
  planeId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  passportId!: string;

  @Column('text')
  role!: string;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
