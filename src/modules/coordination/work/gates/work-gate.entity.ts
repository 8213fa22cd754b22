import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { Microseconds } from '../../../../common/database/microseconds.js';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { GatedMembers, GateStatus } from './gates.types.js';
import { isOverGate } from './open-gates.views.js';

/** A move of a work item that waits for an approval, or waited. */
@Entity('work_gate')
export class WorkGateRow extends TenantRow {
  @PrimaryColumn('uuid')
  actionId!: string;

  @Column({ type: 'text', collation: 'C' })
  workId!: string;

  @Column({ type: 'text', collation: 'C' })
  projectId!: string;

  /** The version of the item that the request is about. */
  @Column('integer')
  itemVersion!: number;

  @Column('jsonb')
  before!: GatedMembers;

  @Column('jsonb')
  after!: GatedMembers;

  @Column('text', { nullable: true })
  why!: string | null;

  @Column('text')
  requestedPassport!: string;

  @Column('text')
  requestedPrincipal!: string;

  /** Of the token, also where a passport is the principal. */
  @Column('text', { nullable: true })
  requestedSubject!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  /** Null: any passport but the one that asked. */
  @Column('text', { array: true, nullable: true })
  mayDecide!: string[] | null;

  @Column('text', { default: 'pending' })
  status!: GateStatus;

  @Column('text', { nullable: true })
  decidedPassport!: string | null;

  @Column('text', { nullable: true })
  decidedPrincipal!: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('uuid')
  requestReceipt!: string;

  @Column('uuid', { nullable: true })
  decisionReceipt!: string | null;

  @Microseconds('requested_at')
  requestedUs!: number;

  @VirtualColumn('boolean', { query: (gate) => `(${gate}.expires_at <= clock_timestamp())` })
  isExpired!: boolean;

  /** Pending in the table alone: its time is over, or its item is not what it was. */
  @VirtualColumn('boolean', { query: isOverGate })
  isOver!: boolean;
}
