import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A part of a project. */
@Entity('plane')
export class PlaneRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  planeId!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { nullable: true })
  defaultPassportId!: string | null;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  /** Counts its changes, those of its links too. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** Since when it is hidden; its id stays taken. */
  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}
