import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type ConversionRow, ConversionsStore } from './conversions.store.js';
import { CURRENCY } from './credits.dto.js';
import type { FinalState } from './economy.types.js';
import { LedgerStore } from './ledger.store.js';
import { creditsOf } from './wallet.rules.js';

/** What is to become of a conversion, and who says so. */
export interface Settlement {
  state: FinalState;
  by: Actor;
  /** Why it failed; the tenant is shown it. */
  reason?: string | undefined;
  /** What only the receipt says. */
  receipt?: object;
}

/** What came of a settlement. */
export interface Settled {
  /** As it was before. */
  conversion: ConversionRow;
  /** Of the settlement; absent where the conversion had a final state already. */
  receiptId?: string;
}

/**
 * Gives conversions their final state, for whoever does it: the payment provider, an operator, or the end of their
 * time. The first final state stands.
 */
@Injectable()
export class SettlementService {
  private readonly settled: Counter<'state' | 'by'>;
  private readonly contradicted: Counter;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly conversions: ConversionsStore,
    private readonly ledger: LedgerStore,
    private readonly audit: AuditTrail,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.settled = metrics.counter(
      'svc_conversions_settled_total',
      'Conversions that this process gave their final state.',
      ['state', 'by'],
    );
    this.contradicted = metrics.counter(
      'svc_conversion_contradictions_total',
      'Outcomes that the payment provider reported of conversions which already had the other one.',
    );
  }

  /**
   * Settles a conversion that is pending, in a unit of work of its tenant. One that has a final state stays as it is.
   * @returns undefined where the tenant has no such conversion
   */
  settle(tenantId: string, conversionId: string, settlement: Settlement): Promise<Settled | undefined> {
    return this.tenancy.run(tenantId, async () => {
      const conversion = await this.conversions.findLocked(conversionId);
      if (!conversion) return undefined;
      if (conversion.state !== 'pending') return { conversion };
      const { state, by, reason } = settlement;
      await this.moveCredits(conversion, settlement);
      await this.conversions.settle(conversionId, state, reason ?? null);
      this.tenancy.afterCommit(() => this.settled.inc({ state, by: by.principal }));
      return { conversion, receiptId: await this.publish(conversion, settlement) };
    });
  }

  /**
   * The provider reports an outcome, and the other one stands already: a discount may be granted whose credits came
   * back, or missing though they are burned. People have to look. In the open unit of work.
   */
  async reportContradiction(conversion: ConversionRow, { state, by, receipt }: Settlement): Promise<void> {
    await this.audit.record(by, {
      kind: 'conversion.contradicted',
      subject: conversion.conversion_id,
      facts: { ...factsOf(conversion), status: conversion.state, reported: state },
      ...(receipt ? { receipt } : {}),
    });
    const facts = { conversion_id: conversion.conversion_id, status: conversion.state, reported: state };
    this.tenancy.afterCommit(() => {
      this.contradicted.inc();
      this.log.warn(facts, 'the payment provider contradicts the final state of a conversion');
    });
  }

  /** Applied: what was in escrow is burned for the discount. Failed: it goes back to where it came from. */
  private async moveCredits(conversion: ConversionRow, { state, by, reason }: Settlement): Promise<void> {
    const { conversion_id: reference, agent_id: agentId, transfer_id } = conversion;
    const { principal } = by;
    const moved =
      state === 'applied'
        ? await this.ledger.move({
            source: `escrow:${agentId}`,
            target: 'discount',
            credits: creditsOf(conversion.credits),
            reason: 'conversion.applied',
            reference,
            principal,
            agentId,
          })
        : await this.ledger.reverse(transfer_id, { reason: 'conversion.failed', reference, principal, note: reason });
    if (!moved) throw new Error(`the escrow of conversion ${reference} was moved before`);
  }

  private async publish(conversion: ConversionRow, { state, by, reason, receipt }: Settlement): Promise<string> {
    const { receiptId } = await this.audit.record(by, {
      kind: `conversion.${state}`,
      subject: conversion.conversion_id,
      facts: { ...factsOf(conversion), reason: reason ?? null },
      ...(receipt ? { receipt } : {}),
    });
    return receiptId;
  }
}

const factsOf = ({ conversion_id: conversionId, agent_id: agentId, credits, pence }: ConversionRow) => ({
  conversionId,
  agentId,
  credits: creditsOf(credits),
  pence: creditsOf(pence),
  currency: CURRENCY,
});
