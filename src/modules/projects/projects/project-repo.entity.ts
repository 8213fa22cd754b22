import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A repository of a project, or of one of its planes. */
@Entity('project_repo')
export class ProjectRepoRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  /** owner/repo. */
  @PrimaryColumn('text', { collation: 'C' })
  repo!: string;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  planeId!: string | null;

  @Column('text', { nullable: true })
  role!: string | null;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
