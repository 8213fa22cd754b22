import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { SwitchMode, SwitchScope } from '../shield.types.js';

/** Whether it stands now: neither lifted nor expired, by the database's clock. */
const isActive = (row: string): string =>
  `${row}.lifted_at is null and (${row}.expires_at is null or ${row}.expires_at > statement_timestamp())`;

@Entity('shield_kill_switch')
export class KillSwitchRow extends TenantRow {
  @PrimaryColumn('uuid')
  killSwitchId!: string;

  @Column('text')
  scope!: SwitchScope;

  /** Null for scope tenant alone. */
  @Column('text', { nullable: true })
  target!: string | null;

  @Column('text')
  mode!: SwitchMode;

  @Column('boolean')
  includeReads!: boolean;

  @Column('text')
  reason!: string;

  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('text', { nullable: true })
  liftedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  liftedAt!: Date | null;

  @Column('text', { nullable: true })
  liftReason!: string | null;

  /** The incident drill that set it; lists leave it out. */
  @Column('uuid', { nullable: true })
  drillId!: string | null;

  @VirtualColumn('boolean', { query: isActive })
  isActive!: boolean;
}
