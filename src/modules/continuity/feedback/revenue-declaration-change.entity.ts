import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { DeclarationState } from './revenue.types.js';

@Entity('revenue_declaration_change')
export class RevenueDeclarationChangeRow extends TenantRow {
  @PrimaryColumn('uuid')
  declarationId!: string;

  /** From 1. */
  @PrimaryColumn('integer')
  seq!: number;

  /** Null of the first. */
  @Column('text', { nullable: true })
  fromState!: DeclarationState | null;

  @Column('text')
  toState!: DeclarationState;

  @Column('text')
  principal!: string;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
