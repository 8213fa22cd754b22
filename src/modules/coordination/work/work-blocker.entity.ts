import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** One item that has to end before another can be worked on. */
@Entity('work_blocker')
export class WorkBlockerRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  workId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  blockerId!: string;

  @Column('text')
  addedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  addedAt!: Date;
}
