import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { SubjectSelector } from './erasure.types.js';

/** An erasure that is asked for and not done: the job itself, since its names may stand nowhere else. */
@Entity('erasure_request')
export class ErasureRequestRow extends TenantRow {
  @PrimaryColumn('uuid')
  erasureId!: string;

  /** Null once it is refused or has failed. */
  @Column('jsonb', { nullable: true })
  selector!: SubjectSelector | null;

  @Column('text', { default: 'running' })
  state!: 'running' | 'refused' | 'failed';

  /** The principal. */
  @Column('text')
  requestedBy!: string;

  @Column('text')
  authMode!: string;

  /** The agent's session that the request named. */
  @Column('text', { nullable: true })
  sessionId!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt!: Date;

  /** That ended by an unknown error. */
  @Column('int', { default: 0 })
  attempts!: number;

  /** Of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** That refused it. */
  @Column('uuid', { array: true, default: '{}' })
  holdIds!: string[];

  @Column('text', { nullable: true })
  reason!: string | null;
}
