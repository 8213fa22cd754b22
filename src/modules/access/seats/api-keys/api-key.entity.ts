import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { Microseconds } from '../../../../common/database/microseconds.js';
import { statusOfKey } from '../../../../common/keys/key-rows.js';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { ApiKeyStatus } from './api-keys.dto.js';

/** Written by `common/keys/key-rows.ts` alone, for the API and the command line. */
@Entity('api_key')
export class ApiKeyRow extends TenantRow {
  @PrimaryColumn('uuid')
  keyId!: string;

  @Column('text')
  prefix!: string;

  @Column('bytea', { select: false })
  keyHash!: Buffer;

  /** Made of the hash by a trigger. */
  @Column({ type: 'bytea', select: false, insert: false, update: false })
  lookup!: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @Column('text', { nullable: true })
  label!: string | null;

  @Column('text', { nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('text', { nullable: true })
  revokedBy!: string | null;

  @Column('text', { nullable: true })
  revokeReason!: string | null;

  @VirtualColumn('text', { query: statusOfKey })
  status!: ApiKeyStatus;

  @Microseconds('created_at')
  createdUs!: number;
}
