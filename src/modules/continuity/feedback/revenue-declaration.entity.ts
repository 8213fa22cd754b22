import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { DeclarationChangeRecord } from './revenue.dto.js';
import type { Currency, DeclarationState, Period } from './revenue.types.js';

const historyOf = (declaration: string): string =>
  `select json_agg(json_build_object('from', c.from_state, 'to', c.to_state, 'principal', c.principal, 'reason', c.reason,
    'at', c.changed_at) order by c.seq)
  from revenue_declaration_change c
  where c.tenant_id = ${declaration}.tenant_id and c.declaration_id = ${declaration}.declaration_id`;

/** Its row is the lock under which its history is written. */
@Entity('revenue_declaration')
export class RevenueDeclarationRow extends TenantRow {
  @PrimaryColumn('uuid')
  declarationId!: string;

  @Column('text', { nullable: true })
  agentId!: string | null;

  @Column({ type: 'text', collation: 'C' })
  subject!: string;

  @Column('uuid', { nullable: true })
  requestId!: string | null;

  @Column(SAFE_INTEGER)
  amountMinor!: number;

  @Column('text')
  currency!: Currency;

  @Column('text')
  period!: Period;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('text', { default: 'pending' })
  state!: DeclarationState;

  @Column('text')
  declaredBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  declaredAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** Oldest first. */
  @VirtualColumn('json', { select: false, query: historyOf })
  history!: DeclarationChangeRecord[];
}
