import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A movable pointer to a version of an engram. */
@Entity('engram_label')
export class EngramLabelRow extends TenantRow {
  /** Always `engram`: an erasure finds the row by kind and id, as the entity is called. */
  @PrimaryColumn({ type: 'text', collation: 'C', default: 'engram' })
  kind!: string;

  /** The name of the engram. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  label!: string;

  @Column('integer')
  engramVersion!: number;

  /** Counts its moves. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Of its last move. */
  @Column('uuid')
  receiptId!: string;

  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The principal. */
  @Column('text')
  movedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  movedAt!: Date;
}
