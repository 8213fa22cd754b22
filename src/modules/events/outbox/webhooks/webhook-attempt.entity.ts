import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

/** What became of an attempt to deliver. */
@Entity('webhook_attempt')
export class WebhookAttemptRow extends TenantRow {
  @PrimaryColumn('uuid')
  deliveryId!: string;

  /** Counts from 1 over all rounds. */
  @PrimaryColumn('integer')
  attempt!: number;

  @Column('timestamptz')
  startedAt!: Date;

  @Column('integer')
  durationMs!: number;

  /** Null: there was no answer. */
  @Column('integer', { nullable: true })
  status!: number | null;

  /** Null: it was taken. */
  @Column('text', { nullable: true })
  error!: string | null;
}
