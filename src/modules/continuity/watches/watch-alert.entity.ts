import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { Alert, Change } from './watches.types.js';

@Entity('watch_alert')
export class WatchAlertRow extends TenantRow {
  @PrimaryColumn('uuid')
  watchId!: string;

  @PrimaryColumn('uuid')
  alertId!: string;

  /** The event that brought the change: it alerts a watch once. */
  @Column('uuid')
  eventId!: string;

  @Column('text')
  change!: Change;

  @Column('jsonb')
  body!: Omit<Alert, 'eventId' | 'occurredAt' | 'change'>;

  @Column('timestamptz')
  occurredAt!: Date;

  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  position!: string;
}
