import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { PassportKind } from './passports.types.js';

@Entity('passport')
export class PassportRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  passportId!: string;

  @Column('text')
  displayName!: string;

  @Column('text')
  kind!: PassportKind;

  /** 32 bytes of Ed25519 in base64url. */
  @Column('text', { nullable: true })
  publicKey!: string | null;

  /** The thumbprint of RFC 7638. */
  @Column('text', { nullable: true })
  fingerprint!: string | null;

  @Column('boolean', { default: false })
  attested!: boolean;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @Column('text', { nullable: true })
  revokedBy!: string | null;

  @Column('text', { nullable: true })
  revokeReason!: string | null;

  @VirtualColumn('timestamptz', {
    query: (one) =>
      `(select s.last_seen_at from passport_presence s where s.tenant_id = ${one}.tenant_id and s.passport_id = ${one}.passport_id)`,
  })
  lastSeenAt!: Date | null;
}
