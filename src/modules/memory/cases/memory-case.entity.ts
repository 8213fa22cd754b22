import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { ScreenedMember } from './cases.types.js';

@Entity('memory_case')
export class MemoryCaseRow extends TenantRow {
  @PrimaryColumn('uuid')
  caseId!: string;

  /** Grows with each case; a string, since it may exceed what a number holds. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS', insert: false, update: false })
  seq!: string;

  @Column('text')
  task!: string;

  @Column('text')
  action!: string;

  @Column('text')
  outcome!: string;

  @Column('text', { default: '' })
  context!: string;

  @Column('text', { nullable: true })
  lesson!: string | null;

  @Column('boolean')
  success!: boolean;

  @Column('real')
  reward!: number;

  @Column('text', { array: true, default: '{}' })
  tags!: string[];

  @Column('text', { nullable: true })
  sourceReceipt!: string | null;

  @Column('json', { default: [] })
  screened!: ScreenedMember[];

  /** BLAKE3 of the canonical JSON of what is stored. */
  @Column('text')
  contentHash!: string;

  /** In words that are searched. */
  @Column('integer')
  length!: number;

  /** Of its recording. */
  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  recordedBy!: string;

  /** An incident has it set aside: reads by its id alone find it. */
  @Column('boolean', { default: false })
  quarantined!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
