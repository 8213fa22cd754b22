import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SeatBillingService } from '../../access/seats/seat-billing.service.js';
import { ConversionsService } from './conversions.service.js';
import { partsOf } from './credits.service.js';
import type { EconomyDashboard, GivenTip, ReasonSpend, SeatOverage, SpendSummary } from './dashboard.dto.js';
import { DashboardStore, type SpendRow, type TipRow } from './dashboard.store.js';
import { CURRENCY } from './credits.dto.js';
import { LedgerService } from './ledger.service.js';
import { creditsOf } from './wallet.rules.js';

const TIPS_SHOWN = 10;

/** The economy of an agent at a glance. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: DashboardStore,
    private readonly ledger: LedgerService,
    private readonly conversions: ConversionsService,
    private readonly seats: SeatBillingService,
  ) {}

  read(caller: TenantCaller, agentId: string, days: number): Promise<EconomyDashboard> {
    return this.tenancy.run(caller.tenantId, async () => {
      const wallet = await this.ledger.readWallet(caller, agentId);
      const totals = await this.store.totals(agentId, days);
      return {
        agentId,
        from: totals.from_day,
        to: totals.to_day,
        balance: wallet.balance,
        breakdown: partsOf(wallet),
        escrow: await this.ledger.readEscrow(agentId),
        spend: summaryOf(await this.store.spend(agentId, days)),
        conversion: await this.conversions.readCap(caller),
        discount: {
          periodPence: creditsOf(totals.discount_period),
          totalPence: creditsOf(totals.discount_total),
          tenantTotalPence: creditsOf(totals.discount_tenant),
          currency: CURRENCY,
        },
        earnings: {
          periodSales: totals.sales,
          periodCredits: creditsOf(totals.sold_period),
          totalCredits: creditsOf(totals.sold_total),
        },
        tips: {
          periodTips: totals.tips,
          periodCredits: creditsOf(totals.tipped_period),
          totalCredits: creditsOf(totals.tipped_total),
          recent: (await this.store.recentTips(agentId, days, TIPS_SHOWN)).map(tipOf),
        },
        seats: await this.readSeats(),
        asOf: new Date().toISOString(),
      };
    });
  }

  private async readSeats(): Promise<SeatOverage> {
    const { includedSeats, activeSeats, pendingSeats, overageSeats, overageGbp } = await this.seats.read();
    return { includedSeats, countedSeats: activeSeats + pendingSeats, overageSeats, overageGbp };
  }
}

const tipOf = ({ tip_id, credits, message, created_at }: TipRow): GivenTip => ({
  tipId: tip_id,
  credits: creditsOf(credits),
  message,
  createdAt: created_at.toISOString(),
});

function summaryOf(rows: readonly SpendRow[]): SpendSummary {
  const byDay = rows.map(({ day, reason, spent, returned }) => ({
    day,
    reason,
    spent: creditsOf(spent),
    returned: creditsOf(returned),
  }));
  const reasons = new Map<string, ReasonSpend>();
  for (const { reason, spent, returned } of byDay) {
    const sum = reasons.get(reason) ?? { reason, spent: 0, returned: 0 };
    reasons.set(reason, { reason, spent: sum.spent + spent, returned: sum.returned + returned });
  }
  const byReason = [...reasons.values()].sort((a, b) => b.spent - a.spent || (a.reason < b.reason ? -1 : 1));
  const total = (member: 'spent' | 'returned') => byReason.reduce((sum, one) => sum + one[member], 0);
  return { spent: total('spent'), returned: total('returned'), byReason, byDay };
}
