import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { OrchestratorState } from './orchestrators.types.js';

@Entity('orchestrator')
export class OrchestratorRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  orchestratorId!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: 'active' })
  state!: OrchestratorState;

  @Column('text', { nullable: true })
  createdByPassport!: string | null;

  @Column('text', { nullable: true })
  assigneePassport!: string | null;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  /** Counts its changes, those of its members too. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** Of a row that is read under a lock, those of before the lock was waited for. */
  @VirtualColumn('integer', {
    query: (one) =>
      `(select count(*)::int from orchestrator_member m where m.tenant_id = ${one}.tenant_id and m.orchestrator_id = ${one}.orchestrator_id)`,
  })
  memberCount!: number;
}
