import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalidMembers } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Bundle, BundlePage, BundleQuery, BundleRequest, BundleWithdrawn } from './bundles.dto.js';
import { BundleUnknown } from './bundles.problems.js';
import { BundlesStore } from './bundles.store.js';
import { toBundle } from './bundles.views.js';
import { PurchasesStore } from './purchases.store.js';

/** The catalogue, and what a publisher does with its part of it. */
@Injectable()
export class BundlesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: BundlesStore,
    private readonly purchases: PurchasesStore,
    private readonly audit: AuditTrail,
  ) {}

  list(caller: TenantCaller, { limit, cursor, ...filter }: BundleQuery): Promise<BundlePage> {
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.publishedUs, row.bundleId]);
      return { bundles: page.map(toBundle), next_cursor };
    });
  }

  publish(caller: TenantCaller, request: BundleRequest): Promise<Bundle> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.checkCorpora(request.corpora);
      const bundleId = uuid();
      await this.store.publish(bundleId, request, caller.principal);
      return this.record(caller, 'bundle.published', bundleId);
    });
  }

  change(caller: TenantCaller, bundleId: string, request: BundleRequest): Promise<Bundle> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.checkCorpora(request.corpora);
      await this.store.lockOffer(bundleId);
      if (!(await this.store.change(bundleId, request, caller.principal))) throw unknownBundle(bundleId);
      return this.record(caller, 'bundle.changed', bundleId);
    });
  }

  /** Ends the sale, not what was sold. */
  withdraw(caller: TenantCaller, bundleId: string, reason: string | undefined): Promise<BundleWithdrawn> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.store.lockOffer(bundleId);
      if (!(await this.store.withdraw(bundleId, caller.principal, reason))) throw unknownBundle(bundleId);
      const sold = await this.purchases.countSales(bundleId);
      const facts = { bundleId, reason: reason ?? null };
      await this.audit.record(caller, { kind: 'bundle.withdrawn', subject: bundleId, facts, receipt: { sold } });
      return { bundleId, sold };
    });
  }

  /** @throws ValidationFailed naming every corpus that the tenant has not got, or that is named twice */
  private async checkCorpora(corpora: string[]): Promise<void> {
    const missing = await this.store.findMissing(corpora);
    const issues = corpora.flatMap((corpus, index) => {
      const path = `body.corpora[${index}]`;
      if (missing.has(corpus)) return [{ path, message: 'is not a corpus of this tenant; GET /v1/corpora lists them' }];
      return corpora.indexOf(corpus) < index ? [{ path, message: 'is named before; name each corpus once' }] : [];
    });
    if (issues.length > 0) throw invalidMembers(issues);
  }

  /** Leaves event and receipt of what a bundle is now. */
  private async record(caller: TenantCaller, kind: string, bundleId: string): Promise<Bundle> {
    const row = await this.store.find(bundleId);
    if (!row) throw new Error('a bundle that was just written is not there');
    const bundle = toBundle(row);
    const { title, corpora, priceCredits } = bundle;
    await this.audit.record(caller, { kind, subject: bundleId, facts: { bundleId, title, corpora, priceCredits } });
    return bundle;
  }
}

export const unknownBundle = (bundleId: string) =>
  new BundleUnknown(
    { bundleId },
    'It was never offered, is withdrawn, or is not yours to change; GET /v1/bundles lists what is for sale',
  );
