import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { NodeKind } from './blast-radius.types.js';

/** Something that a walk reached. */
@Entity('blast_radius_node')
export class RadiusNodeRow extends TenantRow {
  @PrimaryColumn('uuid')
  radiusId!: string;

  /** From 1, in the order in which they were reached. */
  @PrimaryColumn('integer')
  position!: number;

  @Column('text')
  kind!: NodeKind;

  @Column('text', { array: true })
  key!: string[];

  /** Edges from the root; null of what is aside because a part of it is. */
  @Column('integer', { nullable: true })
  depth!: number | null;

  @Column('text', { nullable: true })
  viaEdge!: string | null;

  @Column('integer', { nullable: true })
  viaPosition!: number | null;

  /** By this walk; it may be by others too. */
  @Column('boolean', { default: false })
  setAside!: boolean;
}
