import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A sealed segment of another node, as it was sent. Rows are only added. */
@Entity('replicated_segment')
export class ReplicatedSegmentRow extends TenantRow {
  /** The name that the node gives itself. */
  @PrimaryColumn('text', { collation: 'C' })
  nodeId!: string;

  /** Of the node: 1 for its first of the tenant, then one more each. */
  @PrimaryColumn(SAFE_INTEGER)
  segmentSeq!: number;

  @Column('text')
  corpusId!: string;

  @Column('integer')
  frameCount!: number;

  @Column('bytea')
  frames!: Buffer;

  /** BLAKE3 of the frames. */
  @Column('bytea')
  digest!: Buffer;

  /** The digest of the segment before; null of the first. */
  @Column('bytea', { nullable: true })
  previous!: Buffer | null;

  @Column('timestamptz')
  sealedAt!: Date;

  /** The principal. */
  @Column('text')
  receivedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt!: Date;

  @Column('uuid')
  receiptId!: string;
}
