import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { Bundle, Purchase, PurchaseRequest } from './bundles.dto.js';
import { AlreadyEntitled, OwnBundle, PriceChanged } from './bundles.problems.js';
import { bundleOf, unknownBundle } from './bundles.service.js';
import { BundlesStore } from './bundles.store.js';
import { PurchasesStore } from './purchases.store.js';

/** Buying a bundle: payment, entitlement, events and receipt are one transaction over both tenants' ledgers. */
@Injectable()
export class PurchasesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly bundles: BundlesStore,
    private readonly purchases: PurchasesStore,
    private readonly ledger: LedgerService,
    private readonly shield: ShieldPipeline,
    private readonly outbox: Outbox,
    private readonly evidence: EvidenceService,
  ) {}

  buy(caller: TenantCaller, request: PurchaseRequest): Promise<Purchase> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.purchases.holdPurchases();
      const bundle = await this.readOffer(caller, request);
      const { bundleId, publisher, corpora, priceCredits, title } = bundle;
      const { agentId } = request;
      await this.shield.admitSpending(priceCredits);
      const purchaseId = uuid();
      const purchase = {
        purchaseId,
        publisher,
        bundleId,
        agentId,
        corpora,
        priceCredits,
        purchasedBy: caller.principal,
      };
      const purchasedAt = await this.purchases.record(purchase);
      if (!purchasedAt) throw alreadyEntitled(bundleId);
      const paid = { agentId, credits: priceCredits, reference: purchaseId, note: title };
      const { balance } = await this.ledger.payTenant(caller, publisher, paid);
      await this.purchases.entitle(publisher, corpora);
      const receiptId = await this.publish(caller, purchaseId, { ...bundle, agentId });
      return {
        purchaseId,
        bundleId,
        publisher,
        agentId,
        priceCredits,
        corpora,
        documents: bundle.documents,
        balanceAfter: balance,
        purchasedAt: purchasedAt.toISOString(),
        receiptId,
      };
    });
  }

  /** The bundle, if this caller may buy it at the price it expects. */
  private async readOffer(caller: TenantCaller, { bundleId, expectedPrice }: PurchaseRequest): Promise<Bundle> {
    const row = await this.bundles.find(bundleId);
    if (!row) throw unknownBundle(bundleId);
    const bundle = bundleOf(row);
    if (bundle.publisher === caller.tenantId)
      throw new OwnBundle({ bundleId }, 'Your tenant finds its documents as it is');
    if (bundle.entitled) throw alreadyEntitled(bundleId);
    const { priceCredits } = bundle;
    if (expectedPrice !== undefined && expectedPrice !== priceCredits)
      throw new PriceChanged(
        { bundleId, expectedPrice, priceCredits },
        `It costs ${priceCredits} credits now; send that as expectedPrice to buy it`,
      );
    return bundle;
  }

  /** Events for buyer and publisher, and the buyer's receipt. @returns the receipt's id */
  private async publish(
    caller: TenantCaller,
    purchaseId: string,
    bundle: Bundle & { agentId: string },
  ): Promise<string> {
    const { bundleId, publisher, corpora, priceCredits, agentId, title } = bundle;
    await this.outbox.emit({
      kind: 'bundle.purchased',
      subject: bundleId,
      data: { purchaseId, bundleId, publisher, agentId, corpora, priceCredits, actor: caller.principal },
    });
    await this.purchases.notifySale(publisher, bundleId, { bundleId, priceCredits });
    const { receiptId } = await this.evidence.record({
      kind: 'bundle.purchased',
      actor: caller.principal,
      authMode: caller.authType,
      subject: purchaseId,
      body: {
        purchase_id: purchaseId,
        bundle_id: bundleId,
        title,
        publisher,
        agent_id: agentId,
        corpora,
        price_credits: priceCredits,
      },
    });
    return receiptId;
  }
}

const alreadyEntitled = (bundleId: string) =>
  new AlreadyEntitled({ bundleId }, 'Retrieval finds its documents already, for every agent of the tenant');
