import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { IncidentNote, IncidentStatus, Severity } from './incidents.types.js';

@Entity('incident')
export class IncidentRow extends TenantRow {
  @PrimaryColumn('uuid')
  incidentId!: string;

  @Column('text')
  title!: string;

  @Column('timestamptz')
  windowFrom!: Date;

  /** Null: it is not over. */
  @Column('timestamptz', { nullable: true })
  windowTo!: Date | null;

  @Column('text', { array: true, default: '{}' })
  sessionIds!: string[];

  @Column('text', { array: true, default: '{}' })
  agentIds!: string[];

  @Column('text', { array: true, default: '{}' })
  entities!: string[];

  @Column('json', { default: [] })
  notes!: IncidentNote[];

  @Column('text')
  severity!: Severity;

  @Column('text', { default: 'open' })
  status!: IncidentStatus;

  /** Counts its changes. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Of its opening. */
  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  openedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  openedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  closedAt!: Date | null;
}
