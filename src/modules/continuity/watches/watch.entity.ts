import { Column, Entity, PrimaryColumn, VirtualColumn, type ColumnType } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { ResolvedType, TargetType, WatchedQuery } from './watches.types.js';

@Entity('watch')
export class WatchRow extends TenantRow {
  @PrimaryColumn('uuid')
  watchId!: string;

  @Column('text')
  principal!: string;

  @Column('text')
  agentId!: string;

  @Column('text')
  targetType!: TargetType;

  @Column('text')
  targetId!: string;

  @Column('text')
  resolvedType!: ResolvedType;

  @Column('integer', { nullable: true })
  targetVersion!: number | null;

  @Column('jsonb', { nullable: true })
  query!: WatchedQuery | null;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** What had happened before its target was looked at; null after a restore. */
  @Column({ type: 'pg_snapshot' as ColumnType, nullable: true, select: false })
  createdSnapshot!: string | null;

  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  position!: string;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('text', { nullable: true })
  endedBy!: string | null;

  @VirtualColumn('integer', {
    query: (watch) =>
      `(select count(*)::int from watch_alert a where a.tenant_id = ${watch}.tenant_id and a.watch_id = ${watch}.watch_id)`,
  })
  alertCount!: number;
}

/** What is watched now, and for whom. */
export type Watch = Pick<
  WatchRow,
  'watchId' | 'principal' | 'agentId' | 'targetType' | 'targetId' | 'resolvedType' | 'targetVersion' | 'query' | 'note'
>;
