import { DateTime, Decimal, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { WalletParts } from './credits.dto.js';
import { ConversionCap } from './economy.dto.js';

export class DashboardQuery {
  @Integer({ about: 'How many UTC days to look back, today included.', min: 1, max: 366, default: 30 })
  days!: number;
}

export class DailySpend {
  @Text({ about: 'The UTC day.', example: '2026-11-21' })
  day!: string;

  @Text({
    about: 'retrieval, proof, tip, conversion.requested or bundle.purchased.',
    example: 'retrieval',
  })
  reason!: string;

  @Integer({ about: 'Credits the agent spent that day for that reason.', min: 0 })
  spent!: number;

  @Integer({ about: 'Credits it got back that day: refunds of proofs that failed, conversions that failed.', min: 0 })
  returned!: number;
}

export class ReasonSpend {
  @Text({ about: 'What for, as in byDay.' })
  reason!: string;

  @Integer({ about: 'Credits spent in the period.', min: 0 })
  spent!: number;

  @Integer({ about: 'Credits returned in the period.', min: 0 })
  returned!: number;
}

export class SpendSummary {
  @Integer({ about: 'Credits the agent spent in the period.', min: 0 })
  spent!: number;

  @Integer({ about: 'Credits it got back in the period.', min: 0 })
  returned!: number;

  @ListOf({ about: 'By reason, most first.', type: () => ReasonSpend })
  byReason!: ReasonSpend[];

  @ListOf({ about: 'By UTC day and reason, oldest first; days without spending are left out.', type: () => DailySpend })
  byDay!: DailySpend[];
}

export class DiscountEarned {
  @Integer({ about: "Pence of this agent's applied conversions in the period.", min: 0 })
  periodPence!: number;

  @Integer({ about: "Pence of all of this agent's applied conversions.", min: 0 })
  totalPence!: number;

  @Integer({ about: "Pence of all of the tenant's applied conversions.", min: 0 })
  tenantTotalPence!: number;

  @Text({ about: 'Currency.', example: 'GBP' })
  currency!: string;
}

export class SalesSummary {
  @Integer({ about: 'Bundles the tenant sold in the period, those given away for 0 credits not counted.', min: 0 })
  periodSales!: number;

  @Integer({ about: 'Credits the tenant earned by them.', min: 0 })
  periodCredits!: number;

  @Integer({ about: 'Credits the tenant ever earned by selling bundles.', min: 0 })
  totalCredits!: number;
}

export class GivenTip {
  @Uuid({ about: 'The tip.' })
  tipId!: string;

  @Integer({ about: 'Credits it gave.', min: 1 })
  credits!: number;

  @Text({ about: 'The word with it, for who runs the server.', nullable: true })
  message!: string | null;

  @DateTime({ about: 'When.' })
  createdAt!: string;
}

export class TipSummary {
  @Integer({ about: 'Tips this agent gave in the period.', min: 0 })
  periodTips!: number;

  @Integer({ about: 'Credits it gave in the period.', min: 0 })
  periodCredits!: number;

  @Integer({ about: 'Credits it ever gave.', min: 0 })
  totalCredits!: number;

  @ListOf({ about: 'The last 10 tips it gave in the period, newest first.', type: () => GivenTip, max: 10 })
  recent!: GivenTip[];
}

export class SeatOverage {
  @Integer({ about: 'Seats the tier includes.', min: 0 })
  includedSeats!: number;

  @Integer({ about: 'Active and pending seats.', min: 0 })
  countedSeats!: number;

  @Integer({ about: 'Seats beyond those included.', min: 0 })
  overageSeats!: number;

  @Decimal({ about: 'What they cost a month, in GBP.', min: 0 })
  overageGbp!: number;
}

export class EconomyDashboard {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Text({ about: 'First UTC day of the period.', example: '2026-10-23' })
  from!: string;

  @Text({ about: 'Last UTC day of the period: today.', example: '2026-11-21' })
  to!: string;

  @Integer({ about: 'Credits this agent can spend now.', min: 0 })
  balance!: number;

  @Nested({ about: 'Where they are, in the order in which they are spent.', type: () => WalletParts })
  breakdown!: WalletParts;

  @Integer({ about: 'Credits held for conversions in progress.', min: 0 })
  escrow!: number;

  @Nested({ about: 'What the agent spent, whichever account it came from.', type: () => SpendSummary })
  spend!: SpendSummary;

  @Nested({
    about: "How far the tenant's conversions of the month have come towards the cap of its tier.",
    type: () => ConversionCap,
  })
  conversion!: ConversionCap;

  @Nested({ about: 'Discount that was put on the subscription.', type: () => DiscountEarned })
  discount!: DiscountEarned;

  @Nested({ about: 'What the tenant earned by selling bundles.', type: () => SalesSummary })
  earnings!: SalesSummary;

  @Nested({ about: 'What the agent gave to the platform.', type: () => TipSummary })
  tips!: TipSummary;

  @Nested({ about: "The tenant's seats beyond those of its tier.", type: () => SeatOverage, optional: true })
  seats?: SeatOverage;

  @DateTime({ about: 'When this was read.' })
  asOf!: string;
}
