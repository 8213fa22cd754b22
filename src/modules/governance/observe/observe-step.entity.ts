import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { NodeKind, RiskClass, StepStatus, TraceItem } from './observe.types.js';

/** A step of a session. Where it stands never changes. */
@Entity('observe_step')
export class ObserveStepRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  sessionId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  nodeId!: string;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  parentId!: string | null;

  /** The places of the steps from the root to this one: sorted by it, a parent comes before the steps below it. */
  @Column({ type: 'text', collation: 'C' })
  path!: string;

  @Column('smallint')
  depth!: number;

  @Column('text')
  label!: string;

  @Column('text')
  actor!: string;

  @Column('text')
  kind!: NodeKind;

  @Column('text')
  riskClass!: RiskClass;

  @Column('text', { default: 'open' })
  status!: StepStatus;

  @Column('boolean')
  private!: boolean;

  /** The principal that opened it. */
  @Column('text')
  owner!: string;

  @Column('timestamptz')
  tsStart!: Date;

  @Column('timestamptz', { nullable: true })
  tsEnd!: Date | null;

  @Column('jsonb', { default: '[]' })
  inputs!: TraceItem[];

  /** Null until it is closed. */
  @Column('jsonb', { nullable: true })
  outputs!: TraceItem[] | null;

  @Column('text', { nullable: true })
  enrichRef!: string | null;

  @Column('text', { nullable: true })
  reasoningRef!: string | null;

  /** As the closer names them: a UUID, or `blake3:<hex>`. */
  @Column('text', { nullable: true })
  receiptId!: string | null;

  @Column('text', { nullable: true })
  mutationReceiptId!: string | null;

  /** Made by the server of what the session did. */
  @Column('boolean', { default: false })
  auto!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  openedAt!: Date;

  @Column('timestamptz', { nullable: true })
  closedAt!: Date | null;

  @Column('uuid', { nullable: true })
  openReceipt!: string | null;

  @Column('uuid', { nullable: true })
  closeReceipt!: string | null;

  /** In both digests. Null of a step that the server made, of one from before there were salts, and once archived. */
  @Column('bytea', { nullable: true })
  salt!: Buffer | null;

  /** SHA-256 of what was opened, and of what was closed: the receipts bear them. */
  @Column('bytea', { nullable: true })
  openDigest!: Buffer | null;

  @Column('bytea', { nullable: true })
  closeDigest!: Buffer | null;
}
