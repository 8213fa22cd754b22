import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { Microseconds } from '../../../common/database/microseconds.js';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { BlockKind, WorkState } from './work.types.js';

const isOver = (item: string): string =>
  `coalesce(${item}.state = 'in_progress' and ${item}.lease_expires_at <= clock_timestamp(), false)`;

/** A work item. The columns of the lease are written by the leases alone. */
@Entity('work_item')
export class WorkItemRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  workId!: string;

  @Column({ type: 'text', collation: 'C' })
  projectId!: string;

  @Column('text')
  title!: string;

  @Column('text', { default: '' })
  body!: string;

  @Column('text')
  state!: WorkState;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  assigneePassport!: string | null;

  @Column('text', { nullable: true })
  linkedPr!: string | null;

  @Column('text', { nullable: true })
  linkedIssue!: string | null;

  @Column('text', { nullable: true })
  blockerReason!: string | null;

  @Column('text', { nullable: true })
  blockerKind!: BlockKind | null;

  /** 0 is the most urgent, 4 the least. */
  @Column('smallint', { default: 2 })
  priority!: number;

  @Column('text', { array: true, default: '{}' })
  labels!: string[];

  /** Blockers that are neither done nor cancelled. */
  @Column('integer', { default: 0 })
  openBlockers!: number;

  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The passport. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column({ ...SAFE_INTEGER, nullable: true })
  leaseFence!: number | null;

  @Column('text', { nullable: true })
  leaseHolder!: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt!: Date | null;

  /** Who had it as assignee or under a lease since it was last done, those of now too. The database keeps it. */
  @Column('text', { array: true, default: '{}' })
  owners!: string[];

  @Microseconds('created_at')
  createdUs!: number;

  /** In progress, and its lease is over: for every reader it is ready, before any sweep has said so. */
  @VirtualColumn('boolean', { query: isOver })
  isLeaseOver!: boolean;
}
