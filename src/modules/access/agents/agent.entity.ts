import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { Microseconds } from '../../../common/database/microseconds.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { SponsoredState, SponsorTier } from './agents.types.js';

/** By the database's clock. */
const statusOf = (agent: string): string =>
  `case when ${agent}.ended_at is not null then 'released' when ${agent}.expires_at <= now() then 'expired' else 'active' end`;

/** Belongs to the discovery tenant; a policy shows it to its sponsor too. */
@Entity('agent')
export class AgentRow extends TenantRow {
  @PrimaryColumn('uuid')
  agentId!: string;

  @Column('bytea', { select: false })
  tokenHash!: Buffer;

  @Column('text')
  framework!: string;

  @Column('text', { nullable: true })
  displayName!: string | null;

  @Column('text', { nullable: true })
  callbackUrl!: string | null;

  @Column('text', { nullable: true })
  fingerprint!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  registeredAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  /** The UTC day of `dayQueries`. */
  @Column('date', { default: () => `((now() AT TIME ZONE 'utc'))` })
  queryDay!: string;

  @Column('integer', { default: 0 })
  dayQueries!: number;

  @Column('text', { nullable: true })
  sponsorTenantId!: string | null;

  @Column('text', { nullable: true })
  sponsorTier!: SponsorTier | null;

  @Column('timestamptz', { nullable: true })
  sponsoredAt!: Date | null;

  @Column('text', { nullable: true })
  sponsoredBy!: string | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('text', { nullable: true })
  endedBy!: string | null;

  @Column('text', { nullable: true })
  endReason!: string | null;

  @VirtualColumn('text', { query: statusOf })
  status!: SponsoredState;

  @Microseconds('sponsored_at')
  sponsoredUs!: number | null;
}
