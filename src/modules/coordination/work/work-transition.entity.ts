import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { WorkState } from './work.types.js';

/** One change of an item's state; the first one is its creation. */
@Entity('work_transition')
export class WorkTransitionRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  workId!: string;

  /** The version of the item that it made. */
  @PrimaryColumn('integer')
  version!: number;

  @Column('text', { nullable: true })
  fromState!: WorkState | null;

  @Column('text')
  toState!: WorkState;

  @Column('text')
  passport!: string;

  @Column('text')
  principal!: string;

  /** Of the token, also where a passport is the principal. */
  @Column('text', { nullable: true })
  subject!: string | null;

  @Column('text', { nullable: true })
  why!: string | null;

  @Column({ ...SAFE_INTEGER, nullable: true })
  fence!: number | null;

  /** The gate that let it through. */
  @Column('uuid', { nullable: true })
  actionId!: string | null;

  @Column('uuid')
  receiptId!: string;

  /** Whose the item was after it. */
  @Column('text', { nullable: true })
  assigneePassport!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
