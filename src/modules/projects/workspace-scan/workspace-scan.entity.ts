import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { LeftOut, ScanState } from './workspace-scan.types.js';

/** A look through the workspace. Its files and symbols are read and written by {@link ScannedFilesStore}. */
@Entity('workspace_scan')
export class WorkspaceScanRow extends TenantRow {
  @PrimaryColumn('uuid')
  scanId!: string;

  @Column('text', { default: 'queued' })
  state!: ScanState;

  /** Counts its beginnings: one that another has overtaken writes nothing any more. */
  @Column('integer', { default: 0 })
  attempt!: number;

  /** What the walk found; null until it has ended. */
  @Column('integer', { nullable: true })
  filesFound!: number | null;

  @Column('integer', { default: 0 })
  files!: number;

  /** PostgreSQL's bigint comes as its digits. */
  @Column('bigint', { default: 0 })
  bytes!: string;

  @Column('integer', { default: 0 })
  symbols!: number;

  @Column('jsonb', { default: [] })
  leftOut!: LeftOut[];

  /** Why it failed. */
  @Column('text', { nullable: true })
  problem!: string | null;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  /** Counts its changes. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
