import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { Bundle, Purchase, PurchaseRequest } from './bundles.dto.js';
import { AlreadyEntitled, OwnBundle, PriceChanged } from './bundles.problems.js';
import { unknownBundle } from './bundles.service.js';
import { BundlesStore } from './bundles.store.js';
import { toBundle } from './bundles.views.js';
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
    private readonly audit: AuditTrail,
  ) {}

  buy(caller: TenantCaller, request: PurchaseRequest): Promise<Purchase> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.purchases.holdPurchases();
      const bundle = await this.readOffer(caller, request);
      const { bundleId, publisher, corpora, priceCredits, title } = bundle;
      const { agentId } = request;
      await this.shield.admitSpending(priceCredits);
      const purchaseId = uuid();
      const purchase = await this.purchases.record({
        purchaseId,
        publisherTenantId: publisher,
        bundleId,
        agentId,
        corpora,
        priceCredits,
        purchasedBy: caller.principal,
      });
      if (!purchase) throw alreadyEntitled(bundleId);
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
        purchasedAt: purchase.purchasedAt.toISOString(),
        receiptId,
      };
    });
  }

  /** The bundle, if this caller may buy it at the price it expects. */
  private async readOffer(caller: TenantCaller, { bundleId, expectedPrice }: PurchaseRequest): Promise<Bundle> {
    await this.bundles.holdOffer(bundleId);
    const row = await this.bundles.find(bundleId);
    if (!row) throw unknownBundle(bundleId);
    const bundle = toBundle(row);
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
    const kind = 'bundle.purchased';
    const facts = { purchaseId, bundleId, publisher, agentId, corpora, priceCredits };
    const { receiptId } = await this.audit.record(caller, {
      kind,
      subject: purchaseId,
      facts,
      receipt: { title },
      makeEvent: () => ({ kind, subject: bundleId, data: { ...facts, actor: caller.principal } }),
    });
    await this.purchases.notifySale(publisher, bundleId, { bundleId, priceCredits });
    return receiptId;
  }
}

const alreadyEntitled = (bundleId: string) =>
  new AlreadyEntitled({ bundleId }, 'Retrieval finds its documents already, for every agent of the tenant');
