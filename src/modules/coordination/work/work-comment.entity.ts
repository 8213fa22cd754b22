import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Microseconds } from '../../../common/database/microseconds.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

@Entity('work_comment')
export class WorkCommentRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  workId!: string;

  @PrimaryColumn('uuid')
  commentId!: string;

  @Column('text')
  authorPassport!: string;

  @Column('text')
  body!: string;

  @Column('uuid')
  receiptId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Microseconds('created_at')
  createdUs!: number;
}
