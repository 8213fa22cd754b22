import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { ErasedCounts } from './erasure.types.js';

@Entity('erasure')
export class ErasureRow extends TenantRow {
  @PrimaryColumn('uuid')
  erasureId!: string;

  /** The principal. */
  @Column('text')
  erasedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  erasedAt!: Date;

  @Column('jsonb')
  counts!: ErasedCounts;

  /** Null of one that a restore has done again: its receipt is in the log that was lost. */
  @Column('uuid', { nullable: true })
  receiptId!: string | null;

  @Column('uuid')
  scrubId!: string;

  @VirtualColumn('timestamptz', {
    query: (one) => `(select s.finished_at from scrub s where s.scrub_id = ${one}.scrub_id)`,
  })
  scrubbedAt!: Date | null;

  @VirtualColumn('text', { query: (one) => `(select s.step from scrub s where s.scrub_id = ${one}.scrub_id)` })
  scrubStep!: string | null;
}
