import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type {
  CandidateAction,
  CandidateStatus,
  Evidence,
  Extractor,
  Resolution,
  ScreenedSpan,
} from './candidates.types.js';

@Entity('candidate')
export class CandidateRow extends TenantRow {
  @PrimaryColumn('uuid')
  candidateId!: string;

  /** Grows with each change of what it says or of its status; a string, since it may exceed what a number holds. */
  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  /** Null: consolidation found it. */
  @Column('uuid', { nullable: true })
  extractionId!: string | null;

  @Column('text', { default: 'store' })
  action!: CandidateAction;

  @Column('text')
  entity!: string;

  @Column('text')
  key!: string;

  @Column('text')
  value!: string;

  @Column('real')
  confidence!: number;

  @Column('text')
  profile!: string;

  @Column('json')
  extractor!: Extractor;

  @Column('text', { default: 'pending' })
  status!: CandidateStatus;

  @Column('text')
  resolution!: Resolution;

  @Column('json')
  evidence!: Evidence[];

  /** A fact. */
  @Column('uuid', { nullable: true })
  duplicateOf!: string | null;

  /** Facts and candidates. */
  @Column('uuid', { array: true, default: '{}' })
  conflictsWith!: string[];

  @Column('json', { default: [] })
  screened!: ScreenedSpan[];

  /** Its name or value has a masked secret: it is not promoted so. */
  @Column('boolean', { default: false })
  holdsSecret!: boolean;

  /** Of entity, key and value as they are compared. */
  @Column('bytea')
  contentDigest!: Buffer;

  /** Of entity and key. */
  @Column('bytea')
  nameDigest!: Buffer;

  @Column('text', { nullable: true })
  sessionId!: string | null;

  @Column('date', { nullable: true })
  sessionDate!: string | null;

  /** The fact that a promotion stored. */
  @Column('uuid', { nullable: true })
  promotedFactId!: string | null;

  /** The fact that this one superseded. */
  @Column('uuid', { nullable: true })
  supersededFactId!: string | null;

  /** The fact that a promotion retires. */
  @Column('uuid', { nullable: true })
  targetFactId!: string | null;

  /** Counts its changes. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Of its extraction. */
  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** The principal. */
  @Column('text', { nullable: true })
  decidedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  /** Who looked at it, as the request says. */
  @Column('text', { nullable: true })
  reviewer!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { nullable: true })
  undoneAt!: Date | null;
}
