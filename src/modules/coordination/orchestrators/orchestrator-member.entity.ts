import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { MemberType } from './orchestrators.types.js';

@Entity('orchestrator_member')
export class OrchestratorMemberRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  orchestratorId!: string;

  /** A passport, or the id of a work item or an orchestrator. */
  @PrimaryColumn('text', { collation: 'C' })
  ref!: string;

  @Column('text')
  memberType!: MemberType;

  @Column('text')
  addedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  addedAt!: Date;
}
