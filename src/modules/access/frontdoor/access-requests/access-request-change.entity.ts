import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { AccessRequestStatus } from './access-requests.types.js';

@Entity('access_request_change')
export class AccessRequestChangeRow extends TenantRow {
  @PrimaryColumn('uuid')
  requestId!: string;

  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  changeId!: string;

  @Column('text')
  fromStatus!: AccessRequestStatus;

  @Column('text')
  toStatus!: AccessRequestStatus;

  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  changedAt!: Date;

  @Column('text', { nullable: true })
  reason!: string | null;
}
