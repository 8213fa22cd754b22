import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';

/** What was spent: by whom, under which decision. */
export interface Spender {
  principal: string;
  decisionId: string;
}

/** Credits spent by each principal, for the spend window. */
@Injectable()
export class SpendingStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * From here to the end of the unit of work nobody else spends as this principal: calls at once are seen by each
   * other.
   * @returns what it spent in the seconds before, this call left out
   */
  async holdAndSum({ principal, decisionId }: Spender, seconds: number): Promise<number> {
    const { tenant } = this.tenancy;
    await this.tenancy.lock('spending', principal);
    // A statement of its own: its snapshot is taken once the lock is held.
    const [row] = await this.tenancy.query<{ credits: number }>(
      `select coalesce(sum(credits), 0)::float8 as credits from shield_spending
       where tenant_id = $1 and principal = $2 and decision_id <> $3 and spent_at > clock_timestamp() - $4 * interval '1 second'`,
      [tenant, principal, decisionId, seconds],
    );
    return row!.credits;
  }

  /** The call's credits so far, in place of what was recorded of it before. */
  async record({ principal, decisionId }: Spender, credits: number): Promise<void> {
    await this.tenancy.query(
      `insert into shield_spending (tenant_id, decision_id, principal, credits) values ($1, $2, $3, $4)
       on conflict (tenant_id, decision_id) do update set credits = excluded.credits`,
      [this.tenancy.tenant, decisionId, principal, credits],
    );
  }
}
