import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

/** One thing that rests on another, both by their positions in the walk. */
@Entity('blast_radius_edge')
export class RadiusEdgeRow extends TenantRow {
  @PrimaryColumn('uuid')
  radiusId!: string;

  @PrimaryColumn('integer')
  position!: number;

  @Column('integer')
  fromPosition!: number;

  @Column('text')
  edge!: string;

  @Column('integer')
  toPosition!: number;
}
