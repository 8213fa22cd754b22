import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Tier } from '../../../../common/contract/caller.js';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { AccessRequestStatus, Audience } from './access-requests.types.js';

/** Belongs to the tenant that reviews it. */
@Entity('access_request')
export class AccessRequestRow extends TenantRow {
  @PrimaryColumn('uuid')
  requestId!: string;

  @Column('text', { default: 'submitted' })
  status!: AccessRequestStatus;

  @Column('text')
  audience!: Audience;

  @Column('text')
  requesterEmail!: string;

  @Column('text', { nullable: true })
  requesterName!: string | null;

  @Column('text', { nullable: true })
  companyName!: string | null;

  @Column('text', { nullable: true })
  wantedTenantId!: string | null;

  @Column('text', { nullable: true })
  defaultAgentId!: string | null;

  @Column('boolean')
  apiKeyProvided!: boolean;

  @Column('text', { nullable: true })
  wantedTier!: Tier | null;

  @Column('text', { nullable: true })
  useCase!: string | null;

  @Column('text', { nullable: true })
  notes!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  submittedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('text', { nullable: true })
  provisionedTenantId!: string | null;
}
