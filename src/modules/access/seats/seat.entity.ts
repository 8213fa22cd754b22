import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { SeatRole } from '../../../common/contract/contract.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { SeatStatus } from './seats.types.js';

@Entity('seat')
export class SeatRow extends TenantRow {
  @PrimaryColumn('uuid')
  seatId!: string;

  @Column('text')
  userEmail!: string;

  @Column('text')
  role!: SeatRole;

  @Column('text')
  status!: SeatStatus;

  /** The seat that invited; null when an API key did, or the provisioning. */
  @Column('uuid', { nullable: true })
  invitedBy!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  invitedAt!: Date;

  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  /** Of the invitation to join, or of an active seat's to sign in again. */
  @Column('bytea', { nullable: true })
  inviteHash!: Buffer | null;

  @Column('timestamptz', { nullable: true })
  inviteExpiresAt!: Date | null;

  /** The principal with which the invitation ends; null where the seat asked for it itself, by mail. */
  @Column('text', { nullable: true })
  inviteIssuer!: string | null;

  /** Whether the invitation can still be accepted, by the database's clock. */
  @VirtualColumn('boolean', { query: (seat) => `coalesce(${seat}.invite_expires_at > now(), false)` })
  inviteIsOpen!: boolean;
}
