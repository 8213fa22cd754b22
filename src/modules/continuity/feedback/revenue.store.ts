import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { uuid } from '../../../common/ids/uuid.js';
import { readSafeInteger } from '../../../common/database/safe-integer.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { RevenueDeclarationChangeRow } from './revenue-declaration-change.entity.js';
import { RevenueDeclarationRow } from './revenue-declaration.entity.js';
import type { Currency, DeclarationState, Period, RevenueTotal } from './revenue.types.js';

export interface NewDeclaration extends Pick<RevenueDeclarationRow, 'subject' | 'amountMinor' | 'currency' | 'period'> {
  requestId?: string;
  agentId?: string;
  note?: string;
}

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
const AMOUNTS = `count(*)::int as count, sum(d.amount_minor)::text as total, (percentile_disc(0.5) within group (order by d.amount_minor))::text as median,
  min(d.amount_minor)::text as least, max(d.amount_minor)::text as most`;

/** Revenue declarations and their history. */
@Injectable()
export class RevenueStore {
  private readonly declarations: TenantRepository<RevenueDeclarationRow>;
  private readonly changes: TenantRepository<RevenueDeclarationChangeRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.declarations = new TenantRepository(tenancy, RevenueDeclarationRow);
    this.changes = new TenantRepository(tenancy, RevenueDeclarationChangeRow);
  }

  async declare(declaration: NewDeclaration, declaredBy: string): Promise<string> {
    const { declarationId } = await this.declarations.insert({ declarationId: uuid(), ...declaration, declaredBy });
    await this.changes.insert({ declarationId, seq: 1, toState: 'pending', principal: declaredBy });
    return declarationId;
  }

  /** With its history. */
  read(declarationId: string): Promise<RevenueDeclarationRow> {
    return this.declarations.select('row', { declarationId }).addSelect('row.history').getOneOrFail();
  }

  /** The oldest that wait for a review, with their history. */
  listWaiting(limit: number): Promise<RevenueDeclarationRow[]> {
    const page = { order: { declarationId: 'asc' }, take: limit } as const;
    return this.declarations
      .select('row', { state: In(['pending', 'needs_info']) }, page)
      .addSelect('row.history')
      .getMany();
  }

  /** The state of a declaration, which stays until the unit of work ends; undefined where there is none. */
  async hold(declarationId: string): Promise<DeclarationState | undefined> {
    return (await this.declarations.find({ declarationId }, 'update'))?.state;
  }

  /** Adds to the history of a declaration that is held, and moves it where its state changes. */
  async change(
    declarationId: string,
    change: Pick<RevenueDeclarationChangeRow, 'fromState' | 'toState' | 'principal' | 'reason'>,
  ): Promise<void> {
    if (change.toState !== change.fromState)
      await this.declarations.updateOne({ declarationId }, { state: change.toState, updatedAt: () => 'now()' });
    await this.changes.insert({ declarationId, seq: (await this.changes.count({ declarationId })) + 1, ...change });
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

const totalOf = ({ currency, period, state, count, total, median, least, most }: TotalRow): RevenueTotal => ({
  currency,
  period,
  status: state,
  count,
  totalMinor: readSafeInteger(total),
  medianMinor: readSafeInteger(median),
  minMinor: readSafeInteger(least),
  maxMinor: readSafeInteger(most),
});
