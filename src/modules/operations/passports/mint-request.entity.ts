import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { MintStatus, PassportKind } from './passports.types.js';

/** A passport that somebody asked for, and what another decided. */
@Entity('passport_mint_request')
export class MintRequestRow extends TenantRow {
  @PrimaryColumn('uuid')
  requestId!: string;

  @Column({ type: 'text', collation: 'C' })
  passportId!: string;

  @Column('text')
  displayName!: string;

  @Column('text')
  kind!: PassportKind;

  @Column('text', { nullable: true })
  publicKey!: string | null;

  @Column('text', { nullable: true })
  fingerprint!: string | null;

  @Column('boolean', { default: false })
  attested!: boolean;

  @Column('text', { nullable: true })
  why!: string | null;

  @Column('text', { nullable: true })
  requestedPassport!: string | null;

  @Column('text')
  requestedPrincipal!: string;

  /** Of the token, also where a passport is the principal. */
  @Column('text', { nullable: true })
  requestedSubject!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt!: Date;

  @Column('text', { default: 'pending' })
  status!: MintStatus;

  @Column('text', { nullable: true })
  decidedPassport!: string | null;

  @Column('text', { nullable: true })
  decidedPrincipal!: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
