import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A spending as it was answered. Rows are only added; an erasure takes digest and salt of the note. */
@Entity('credit_spending')
export class CreditSpendingRow extends TenantRow {
  /** The client's own. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  reference!: string;

  @Column('uuid')
  transferId!: string;

  @Column('text')
  agentId!: string;

  @Column(SAFE_INTEGER)
  credits!: number;

  /** Of salt and note. Null without a note, and once the note is erased. */
  @Column('bytea', { nullable: true })
  noteDigest!: Buffer | null;

  /** Null of a spending from before there were salts as well. */
  @Column('bytea', { nullable: true })
  noteSalt!: Buffer | null;

  @Column(SAFE_INTEGER)
  ownAfter!: number;

  @Column(SAFE_INTEGER)
  allowanceAfter!: number;

  @Column(SAFE_INTEGER)
  earningsAfter!: number;

  @Column('uuid')
  receiptId!: string;

  @Column('timestamptz')
  spentAt!: Date;
}
