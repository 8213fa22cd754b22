import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** What is pinned against deletion, until it is released. */
@Entity('legal_hold')
export class LegalHoldRow extends TenantRow {
  @PrimaryColumn('uuid')
  holdId!: string;

  @Column('text')
  reason!: string;

  /** None: the whole tenant. */
  @Column('text', { array: true, default: '{}' })
  entityPrefixes!: string[];

  /** The incident that placed it. */
  @Column('text', { nullable: true })
  incidentId!: string | null;

  /** The principal. */
  @Column('text')
  placedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  placedAt!: Date;

  @Column('uuid')
  placeReceipt!: string;

  @Column('text', { nullable: true })
  releasedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  releasedAt!: Date | null;

  @Column('uuid', { nullable: true })
  releaseReceipt!: string | null;
}
