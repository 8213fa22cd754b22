import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { ExtractionCounts, Profile } from './candidates.types.js';

@Entity('extraction')
export class ExtractionRow extends TenantRow {
  @PrimaryColumn('uuid')
  extractionId!: string;

  @Column('text', { nullable: true })
  operationId!: string | null;

  /** Of the request with its secrets masked. */
  @Column('bytea')
  requestDigest!: Buffer;

  @Column('text')
  profile!: Profile;

  @Column('json')
  counts!: ExtractionCounts;

  @Column('uuid')
  receiptId!: string;

  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
