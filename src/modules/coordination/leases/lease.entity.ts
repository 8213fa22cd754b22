import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { LeaseKind, LeaseMode, LeaseStatus } from './lease-states.types.js';

/** What somebody holds, or held, until when. */
@Entity('lease')
export class LeaseRow extends TenantRow {
  @PrimaryColumn(SAFE_INTEGER)
  fence!: number;

  @Column('text')
  kind!: LeaseKind;

  /** The id of the work item, or the normalised resource. */
  @Column({ type: 'text', collation: 'C' })
  subject!: string;

  @Column({ type: 'text', collation: 'C' })
  leaseId!: string;

  @Column('text')
  mode!: LeaseMode;

  @Column('text')
  holderPassport!: string;

  /** The passport of the credential that asked for it. */
  @Column('text')
  heldBy!: string;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** As it was recorded last: one that is held and past `expiresAt` holds nothing any more. */
  @Column('text', { default: 'held' })
  status!: LeaseStatus;

  @Column('timestamptz')
  acquiredAt!: Date;

  @Column('timestamptz')
  renewedAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('text', { nullable: true })
  releaseCommitSha!: string | null;

  @Column('uuid', { nullable: true })
  receiptAcquire!: string | null;

  @Column('uuid', { nullable: true })
  receiptEnd!: string | null;
}
