import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SeatRole } from '../../../common/contract/contract.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { SeatEventKind } from './seats.types.js';

/** One line of a seat's history: who did what to it and why. */
@Entity('seat_event')
export class SeatEventRow extends TenantRow {
  @PrimaryColumn('uuid')
  seatId!: string;

  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  eventId!: string;

  @Column('text')
  kind!: SeatEventKind;

  @Column('text')
  actor!: string;

  @Column('text', { nullable: true })
  formerRole!: SeatRole | null;

  @Column('text')
  role!: SeatRole;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  occurredAt!: Date;
}
