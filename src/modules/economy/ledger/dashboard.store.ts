import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

export interface SpendRow {
  day: string;
  reason: string;
  spent: string;
  returned: string;
}

export interface TotalsRow {
  from_day: string;
  to_day: string;
  discount_period: string;
  discount_total: string;
  discount_tenant: string;
  sales: number;
  sold_period: string;
  sold_total: string;
  tips: number;
  tipped_period: string;
  tipped_total: string;
}

export interface TipRow {
  tip_id: string;
  credits: string;
  message: string | null;
  created_at: Date;
}

const START = `(date_trunc('day', now() at time zone 'UTC') - ($2::int - 1) * interval '1 day') at time zone 'UTC'`;

/** What the ledger and the conversions say of an agent, added up by the database. */
@Injectable()
export class DashboardStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * What an agent's transfers took from, and gave back to, the accounts it spends from, by UTC day and reason. What is
   * given back counts for the reason it was taken for, on the day it came back.
   */
  spend(agentId: string, days: number): Promise<SpendRow[]> {
    return this.tenancy.query<SpendRow>(
      `select to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, coalesce(u.reason, t.reason) as reason,
         coalesce(sum(-e.amount) filter (where t.reverses is null), 0)::text as spent,
         coalesce(sum(e.amount) filter (where t.reverses is not null), 0)::text as returned
       from ledger_transfer t
         join ledger_entry e on e.tenant_id = t.tenant_id and e.transfer_id = t.transfer_id
         join ledger_account a on a.tenant_id = e.tenant_id and a.account_id = e.account_id and a.kind in ('agent', 'allowance', 'earnings')
         left join ledger_transfer u on u.tenant_id = t.tenant_id and u.transfer_id = t.reverses
       where t.tenant_id = $1 and t.agent_id = $3 and t.created_at >= ${START} and t.reason <> 'grant'
       group by 1, 2 order by 1, 2`,
      [this.tenancy.tenant, days, agentId],
    );
  }

  /** The newest tips of an agent, with the words that came with them. */
  recentTips(agentId: string, days: number, limit: number): Promise<TipRow[]> {
    return this.tenancy.query<TipRow>(
      `select t.transfer_id as tip_id, e.amount::text as credits, t.note as message, t.created_at
       from ledger_transfer t join ledger_entry e on e.tenant_id = t.tenant_id and e.transfer_id = t.transfer_id and e.account_id = 'platform'
       where t.tenant_id = $1 and t.created_at >= ${START} and t.agent_id = $3 and t.reason = 'tip'
       order by t.created_at desc, t.transfer_id desc limit $4`,
      [this.tenancy.tenant, days, agentId, limit],
    );
  }

  async totals(agentId: string, days: number): Promise<TotalsRow> {
    const [row] = await this.tenancy.query<TotalsRow>(
      `select to_char(${START} at time zone 'UTC', 'YYYY-MM-DD') as from_day, to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as to_day, c.*, s.*, g.*
       from (select coalesce(sum(pence) filter (where agent_id = $3 and settled_at >= ${START}), 0)::text as discount_period,
               coalesce(sum(pence) filter (where agent_id = $3), 0)::text as discount_total, coalesce(sum(pence), 0)::text as discount_tenant
             from conversion where tenant_id = $1 and state = 'applied') c,
         (select count(*) filter (where t.created_at >= ${START})::int as sales,
            coalesce(sum(e.amount) filter (where t.created_at >= ${START}), 0)::text as sold_period, coalesce(sum(e.amount), 0)::text as sold_total
          from ledger_transfer t join ledger_entry e on e.tenant_id = t.tenant_id and e.transfer_id = t.transfer_id and e.account_id = 'earnings'
          where t.tenant_id = $1 and t.reason = 'bundle.sold') s,
         (select count(*) filter (where t.created_at >= ${START})::int as tips,
            coalesce(sum(e.amount) filter (where t.created_at >= ${START}), 0)::text as tipped_period, coalesce(sum(e.amount), 0)::text as tipped_total
          from ledger_transfer t join ledger_entry e on e.tenant_id = t.tenant_id and e.transfer_id = t.transfer_id and e.account_id = 'platform'
          where t.tenant_id = $1 and t.agent_id = $3 and t.reason = 'tip') g`,
      [this.tenancy.tenant, days, agentId],
    );
    return row!;
  }
}
