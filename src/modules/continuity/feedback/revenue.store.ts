import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type {
  Currency,
  Declaration,
  DeclarationChange,
  DeclarationState,
  Period,
  RevenueTotal,
} from './revenue.types.js';

export type NewDeclaration = Pick<Declaration, 'subject' | 'amountMinor' | 'currency' | 'period'> & {
  requestId?: string;
  agentId?: string;
  note?: string;
};

export interface DeclarationFilter {
  currency?: Currency;
  period?: Period;
  status?: DeclarationState;
  subject?: string;
  agentId?: string;
}

/** Last row of the page before: subject, currency, period, state. */
export type SubjectPosition = [string, string, string, string];

const FILTER = `d.tenant_id = $1 and ($2::text is null or d.currency = $2) and ($3::text is null or d.period = $3)
  and ($4::text is null or d.state = $4) and ($5::text is null or d.subject = $5) and ($6::text is null or d.agent_id = $6)`;
// Amounts leave the database as text: a sum may be larger than a float holds exactly, and is then refused instead of
// rounded.
const AMOUNTS = `count(*)::int as count, sum(d.amount_minor)::text as total, (percentile_disc(0.5) within group (order by d.amount_minor))::text as median,
  min(d.amount_minor)::text as least, max(d.amount_minor)::text as most`;
const HISTORY = `(select json_agg(json_build_object('from', c.from_state, 'to', c.to_state, 'principal', c.principal, 'reason', c.reason,
    'at', c.changed_at) order by c.seq)
  from revenue_declaration_change c where c.tenant_id = d.tenant_id and c.declaration_id = d.declaration_id) as history`;

/** Revenue declarations and their history. */
@Injectable()
export class RevenueStore {
  constructor(private readonly tenancy: Tenancy) {}

  async declare(declaration: NewDeclaration, principal: string): Promise<string> {
    const declarationId = uuid();
    await this.tenancy.query(
      `insert into revenue_declaration (tenant_id, declaration_id, agent_id, subject, request_id, amount_minor, currency, period, note, declared_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        this.tenancy.tenant,
        declarationId,
        declaration.agentId ?? null,
        declaration.subject,
        declaration.requestId ?? null,
        declaration.amountMinor,
        declaration.currency,
        declaration.period,
        declaration.note ?? null,
        principal,
      ],
    );
    await this.recordChange(declarationId, { from: null, to: 'pending', principal, reason: null });
    return declarationId;
  }

  async find(declarationId: string): Promise<Declaration | undefined> {
    const [row] = await this.tenancy.query<DeclarationRow>(
      `select d.*, ${HISTORY} from revenue_declaration d where d.tenant_id = $1 and d.declaration_id = $2`,
      [this.tenancy.tenant, declarationId],
    );
    return row && declarationOf(row);
  }

  /** The oldest that wait for a review. */
  async findWaiting(limit: number): Promise<Declaration[]> {
    const rows = await this.tenancy.query<DeclarationRow>(
      `select d.*, ${HISTORY} from revenue_declaration d
       where d.tenant_id = $1 and d.state in ('pending', 'needs_info') order by d.declaration_id limit $2`,
      [this.tenancy.tenant, limit],
    );
    return rows.map(declarationOf);
  }

  /** The state of a declaration, which stays until the unit of work ends; undefined where there is none. */
  async hold(declarationId: string): Promise<DeclarationState | undefined> {
    const [row] = await this.tenancy.query<{ state: DeclarationState }>(
      'select state from revenue_declaration where tenant_id = $1 and declaration_id = $2 for update',
      [this.tenancy.tenant, declarationId],
    );
    return row?.state;
  }

  /** Moves a declaration that is held. */
  async move(declarationId: string, change: Omit<DeclarationChange, 'at'>): Promise<void> {
    await this.tenancy.query(
      'update revenue_declaration set state = $3, updated_at = now() where tenant_id = $1 and declaration_id = $2',
      [this.tenancy.tenant, declarationId, change.to],
    );
    await this.recordChange(declarationId, change);
  }

  async sumUp(filter: DeclarationFilter): Promise<RevenueTotal[]> {
    const rows = await this.tenancy.query<TotalRow>(
      `select d.currency, d.period, d.state, ${AMOUNTS} from revenue_declaration d where ${FILTER}
       group by d.currency, d.period, d.state order by d.currency, d.period, d.state`,
      this.parametersOf(filter),
    );
    return rows.map(totalOf);
  }

  async sumUpSubjects(
    filter: DeclarationFilter,
    after: SubjectPosition | undefined,
    limit: number,
  ): Promise<(RevenueTotal & { subject: string })[]> {
    const rows = await this.tenancy.query<TotalRow & { subject: string }>(
      `select d.subject, d.currency, d.period, d.state, ${AMOUNTS} from revenue_declaration d
       where ${FILTER} and ($7::text is null or (d.subject, d.currency, d.period, d.state) > ($7 collate "C", $8::text, $9::text, $10::text))
       group by d.subject, d.currency, d.period, d.state order by d.subject, d.currency, d.period, d.state limit $11`,
      [...this.parametersOf(filter), ...(after ?? [null, null, null, null]), limit],
    );
    return rows.map((row) => ({ subject: row.subject, ...totalOf(row) }));
  }

  private parametersOf({ currency, period, status, subject, agentId }: DeclarationFilter): unknown[] {
    return [this.tenancy.tenant, currency ?? null, period ?? null, status ?? null, subject ?? null, agentId ?? null];
  }

  private async recordChange(declarationId: string, change: Omit<DeclarationChange, 'at'>): Promise<void> {
    await this.tenancy.query(
      `insert into revenue_declaration_change (tenant_id, declaration_id, seq, from_state, to_state, principal, reason)
       select $1, $2, count(*) + 1, $3, $4, $5, $6 from revenue_declaration_change where tenant_id = $1 and declaration_id = $2`,
      [this.tenancy.tenant, declarationId, change.from, change.to, change.principal, change.reason],
    );
  }
}

interface DeclarationRow {
  declaration_id: string;
  agent_id: string | null;
  subject: string;
  request_id: string | null;
  amount_minor: string;
  currency: Currency;
  period: Period;
  note: string | null;
  state: DeclarationState;
  declared_by: string;
  declared_at: Date;
  updated_at: Date;
  history: DeclarationChange[];
}

interface TotalRow {
  currency: Currency;
  period: Period;
  state: DeclarationState;
  count: number;
  total: string;
  median: string;
  least: string;
  most: string;
}

function exact(amount: string): number {
  const value = Number(amount);
  if (!Number.isSafeInteger(value)) throw new Error(`an amount of ${amount} minor units cannot be represented exactly`);
  return value;
}

const totalOf = ({ currency, period, state, count, total, median, least, most }: TotalRow): RevenueTotal => ({
  currency,
  period,
  status: state,
  count,
  totalMinor: exact(total),
  medianMinor: exact(median),
  minMinor: exact(least),
  maxMinor: exact(most),
});

const declarationOf = (row: DeclarationRow): Declaration => ({
  declarationId: row.declaration_id,
  agentId: row.agent_id,
  subject: row.subject,
  requestId: row.request_id,
  amountMinor: exact(row.amount_minor),
  currency: row.currency,
  period: row.period,
  note: row.note,
  status: row.state,
  declaredBy: row.declared_by,
  declaredAt: row.declared_at,
  updatedAt: row.updated_at,
  history: row.history.map((change) => ({ ...change, at: new Date(change.at).toISOString() })),
});
