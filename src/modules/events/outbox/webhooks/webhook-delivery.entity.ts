import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { DeliveryAttempt } from './webhooks.dto.js';
import type { DeliveryState } from './webhooks.types.js';

const latestTriesOf = (delivery: string): string =>
  `(select coalesce(jsonb_agg(to_jsonb(a) order by a.attempt), '[]') from (
    select attempt, started_at as at, duration_ms as "durationMs", status, error from webhook_attempt t
    where t.tenant_id = ${delivery}.tenant_id and t.delivery_id = ${delivery}.delivery_id order by attempt desc limit 50) a)`;

/** An event on its way to an endpoint; `due-deliveries.store.ts` makes and leases them, for all tenants. */
@Entity('webhook_delivery')
export class WebhookDeliveryRow extends TenantRow {
  @PrimaryColumn('uuid', { generated: 'uuid' })
  deliveryId!: string;

  @Column('uuid')
  endpointId!: string;

  @Column('uuid')
  eventId!: string;

  @Column('text')
  kind!: string;

  @Column('text')
  subject!: string;

  /** The exact bytes that every attempt signs and sends. */
  @Column('text', { select: false })
  payload!: string;

  @Column('text', { default: 'pending' })
  state!: DeliveryState;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** The attempts of the present round: a redelivery begins a new one. */
  @Column('integer', { default: 0 })
  roundAttempts!: number;

  @Column('timestamptz', { default: () => 'now()' })
  nextAt!: Date;

  @Column('timestamptz', { nullable: true })
  leasedUntil!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  position!: string;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  /** The latest, oldest first; the times as JSON of PostgreSQL has them. */
  @VirtualColumn('jsonb', { query: latestTriesOf })
  tries!: DeliveryAttempt[];
}
