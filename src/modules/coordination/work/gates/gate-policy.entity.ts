import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

/** The moves of a project's work that need an approval. Without a row there are none but those of every project. */
@Entity('work_gate_policy')
export class GatePolicyRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  /** Such as `in_review>done`. */
  @Column('text', { array: true })
  moves!: string[];

  @Column('text', { array: true, nullable: true })
  mayDecide!: string[] | null;

  @Column('integer', { default: 1 })
  version!: number;

  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
