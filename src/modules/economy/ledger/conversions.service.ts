import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { UpgradeAddress } from '../../../common/http/upgrade-address.js';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import {
  EXPECTED_WITHIN_HOURS,
  expiryOf,
  planConversion,
  SUBSCRIPTION_PENCE,
  type ConversionPlan,
} from './conversion.rules.js';
import { type ConversionRow, ConversionsStore, type MonthRow } from './conversions.store.js';
import { CURRENCY } from './credits.dto.js';
import type {
  Conversion,
  ConversionCap,
  ConversionPreview,
  ConversionRequest,
  ConversionTerms,
} from './economy.dto.js';
import { ConversionCapReached, type CreditsExhausted, NoSubscription } from './economy.problems.js';
import { LedgerService } from './ledger.service.js';
import { creditsOf } from './wallet.rules.js';

type Refusal = NoSubscription | ConversionCapReached | CreditsExhausted;

/** A conversion that is worked out: what it comes to, the month it counts in, and why it cannot be, if it cannot. */
interface Offer {
  plan: ConversionPlan;
  month: MonthRow;
  refusal: Refusal | undefined;
}

/** Credits into a discount of the subscription (D21): worked out the same way by preview and convert. */
@Injectable()
export class ConversionsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ConversionsStore,
    private readonly ledger: LedgerService,
    private readonly shield: ShieldPipeline,
    private readonly audit: AuditTrail,
    private readonly upgradeAddress: UpgradeAddress,
  ) {}

  preview(caller: TenantCaller, { agentId, credits }: ConversionRequest): Promise<ConversionPreview> {
    return this.tenancy.run(caller.tenantId, async () => {
      const { plan, month, refusal: early } = await this.workOut(caller, credits);
      const { balance } = await this.ledger.readWallet(caller, agentId);
      const short = plan.credits > balance ? this.ledger.exhausted(plan.credits, balance) : undefined;
      const refusal = early ?? short;
      const taken = refusal ? 0 : plan.credits;
      return {
        ...termsOf(agentId, plan, balance - taken, capAfter(caller, month, refusal ? 0 : plan.pence)),
        accepted: refusal === undefined,
        refusal: refusal ? { type: refusal.kind.type, message: refusal.message } : null,
      };
    });
  }

  /** Moves the credits into escrow until the conversion is settled or expires. */
  convert(caller: TenantCaller, { agentId, credits }: ConversionRequest): Promise<Conversion> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.store.holdCap();
      const { plan, month, refusal } = await this.workOut(caller, credits);
      if (refusal) throw refusal;
      await this.shield.admitSpending(plan.credits);
      const conversionId = uuid();
      const { transferId, wallet } = await this.ledger.spend(caller, {
        agentId,
        credits: plan.credits,
        reason: 'conversion.requested',
        reference: conversionId,
        target: `escrow:${agentId}`,
      });
      const row = await this.store.record({
        conversionId,
        agentId,
        tier: caller.tier,
        month: month.month,
        credits: plan.credits,
        pence: plan.pence,
        transferId,
        requestedBy: caller.principal,
        expectedWithinHours: EXPECTED_WITHIN_HOURS,
      });
      const receiptId = await this.publish(caller, row);
      return {
        ...termsOf(agentId, plan, wallet.balance, capAfter(caller, month, plan.pence)),
        conversionId,
        status: row.state,
        createdAt: row.requested_at.toISOString(),
        expectedAt: row.expected_at.toISOString(),
        expiresAt: expiryOf(row.requested_at).toISOString(),
        receiptId,
      };
    });
  }

  /** How far the tenant's conversions of the month have come. In the open unit of work. */
  async readCap(caller: TenantCaller): Promise<ConversionCap> {
    return capAfter(caller, await this.store.readMonth(), 0);
  }

  private async workOut(caller: TenantCaller, asked: number): Promise<Offer> {
    const month = await this.store.readMonth();
    const plan = planConversion(caller.tier, asked, creditsOf(month.pending) + creditsOf(month.applied));
    return { plan, month, refusal: this.refusalOf(caller, plan, month) };
  }

  private refusalOf({ tier }: TenantCaller, plan: ConversionPlan, { month }: MonthRow): Refusal | undefined {
    const { capPence, remainingPence, pence, refusal } = plan;
    if (refusal === 'NoSubscription')
      return new NoSubscription(
        { tier, upgradeUrl: this.upgradeAddress.url },
        `The ${tier} tier has no subscription to pay with credits; starter, pro and team have`,
      );
    if (refusal === 'ConversionCapReached')
      return new ConversionCapReached(
        { capPence, remainingPence, month },
        `This comes to ${pence} pence; of the ${capPence} that may be paid with credits in ${month}, ${remainingPence} are left. Convert less, or wait for the next month (UTC)`,
      );
    return undefined;
  }

  /** Asks the payment provider for the discount, by an event, and leaves a receipt. @returns the receipt's id */
  private async publish(caller: TenantCaller, row: ConversionRow): Promise<string> {
    const { conversion_id: conversionId, agent_id: agentId, tier, month } = row;
    const [credits, pence] = [creditsOf(row.credits), creditsOf(row.pence)];
    const { receiptId } = await this.audit.record(caller, {
      kind: 'conversion.requested',
      subject: conversionId,
      facts: { conversionId, agentId, tier, month, credits, pence, currency: CURRENCY },
      event: { tenantId: caller.tenantId, expectedAt: row.expected_at, expiresAt: expiryOf(row.requested_at) },
      receipt: { transfer_id: row.transfer_id },
    });
    return receiptId;
  }
}

const termsOf = (agentId: string, plan: ConversionPlan, balanceAfter: number, cap: ConversionCap): ConversionTerms => ({
  agentId,
  credits: plan.credits,
  remainderCredits: plan.remainderCredits,
  pence: plan.pence,
  currency: CURRENCY,
  balanceAfter,
  cap,
});

/** The cap once `pence` more are in progress. */
function capAfter({ tier }: TenantCaller, row: MonthRow, pence: number): ConversionCap {
  const pendingPence = creditsOf(row.pending) + pence;
  const appliedPence = creditsOf(row.applied);
  const { capPence, remainingPence } = planConversion(tier, 0, pendingPence + appliedPence);
  return {
    month: row.month,
    subscriptionPence: SUBSCRIPTION_PENCE[tier],
    capPence,
    pendingPence,
    appliedPence,
    remainingPence,
  };
}
