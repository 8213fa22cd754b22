import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** An account of GitHub that the tenant has connected. */
@Entity('github_integration')
export class GithubIntegrationRow extends TenantRow {
  @PrimaryColumn('uuid')
  integrationId!: string;

  /** As GitHub numbers it: a login may change. */
  @Column(SAFE_INTEGER)
  accountId!: number;

  @Column('text')
  account!: string;

  /** Those of a classic token; a fine-grained one names none. */
  @Column('text', { array: true })
  tokenScopes!: string[];

  @Column('timestamptz', { nullable: true })
  tokenExpiresAt!: Date | null;

  /** Sealed, as the secret is. */
  @Column('text', { select: false })
  token!: string;

  @Column('text', { select: false })
  webhookSecret!: string;

  @Column('text')
  connectedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  connectedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  checkedAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastDeliveryAt!: Date | null;
}
