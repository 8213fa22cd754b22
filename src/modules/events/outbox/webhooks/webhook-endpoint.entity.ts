import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

@Entity('webhook_endpoint')
export class WebhookEndpointRow extends TenantRow {
  @PrimaryColumn('uuid')
  endpointId!: string;

  @Column('text')
  url!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** Kinds of events, or families of them; none: all. */
  @Column('text', { array: true, default: [] })
  kinds!: string[];

  /** Set: only alerts of this watch, and the watch's end is the endpoint's. */
  @Column('uuid', { nullable: true })
  watchId!: string | null;

  /** Sealed, as the one before it. */
  @Column('text', { select: false })
  secret!: string;

  /** The secret before a rotation; it signs too, until `previousUntil`. */
  @Column('text', { nullable: true, select: false })
  previousSecret!: string | null;

  @Column('timestamptz', { nullable: true })
  previousUntil!: Date | null;

  /** Those before it that sign as well, where it was rotated again meanwhile. */
  @Column('jsonb', { select: false, default: [] })
  earlierSecrets!: { secret: string; until: string }[];

  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** What had happened before and is not sent; null after a restore. */
  @Column({
    type: 'pg_snapshot' as ColumnType,
    nullable: true,
    select: false,
    default: () => 'pg_current_snapshot()',
  })
  createdSnapshot!: string | null;

  /** When it answered 410. */
  @Column('timestamptz', { nullable: true })
  disabledAt!: Date | null;

  @Column('text', { nullable: true })
  disabledReason!: string | null;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;

  @Column('text', { nullable: true })
  deletedBy!: string | null;
}
