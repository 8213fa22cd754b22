import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';
import type { NodeKind, RootKind } from './blast-radius.types.js';

/** A walk from one thing to all that rests on it, as it was found then. */
@Entity('blast_radius')
export class BlastRadiusRow extends TenantRow {
  @PrimaryColumn('uuid')
  radiusId!: string;

  @Column('uuid')
  incidentId!: string;

  @Column('text')
  rootKind!: RootKind;

  @Column('text', { array: true })
  rootKey!: string[];

  @Column('integer')
  nodeCount!: number;

  @Column('integer')
  edgeCount!: number;

  /** Of nodes, by kind. */
  @Column('json')
  counts!: Partial<Record<NodeKind, number>>;

  /** Before anything was set aside. */
  @Column('bytea')
  stateRoot!: Buffer;

  /** With it set aside; null unless it was. */
  @Column('bytea', { nullable: true })
  stateRootAfter!: Buffer | null;

  @Column('text')
  walkedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  walkedAt!: Date;

  @Column('text', { nullable: true })
  appliedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  appliedAt!: Date | null;

  @Column('text', { nullable: true })
  undoneBy!: string | null;

  @Column('timestamptz', { nullable: true })
  undoneAt!: Date | null;
}
