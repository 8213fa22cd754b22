import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { Evidence, LinkStatus } from './identity.types.js';

/** Two entities that may be one, and what was decided. */
@Entity('identity_link')
export class IdentityLinkRow extends TenantRow {
  @PrimaryColumn('uuid')
  linkId!: string;

  /** The lesser of the two by its bytes. */
  @Column({ type: 'text', collation: 'C' })
  entity!: string;

  @Column({ type: 'text', collation: 'C' })
  other!: string;

  @Column('text')
  status!: LinkStatus;

  @Column('jsonb')
  evidence!: Evidence[];

  @Column('text')
  proposedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  proposedAt!: Date;

  @Column('text', { nullable: true })
  decidedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
