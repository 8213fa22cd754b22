import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ScreenedSecret } from '../../../common/screening/secret-screen.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { AuditStatus } from './capabilities.types.js';

/** One audit of a capability; the one of the highest version is what holds. */
@Entity('capability_audit')
export class CapabilityAuditRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  capabilityId!: string;

  /** Counts the audits of the capability. */
  @PrimaryColumn('integer')
  version!: number;

  @Column('text')
  status!: AuditStatus;

  @Column('text')
  auditor!: string;

  @Column('text', { nullable: true })
  notes!: string | null;

  /** Secrets that were masked in the notes. */
  @Column('json', { default: [] })
  screened!: ScreenedSecret[];

  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
