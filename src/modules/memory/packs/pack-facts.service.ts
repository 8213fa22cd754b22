import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { FactImportsService } from '../facts/fact-imports.service.js';
import { VISIBILITY, type FactDraft } from '../facts/facts.types.js';
import { batchesOf, chainOf, inChainOrder, PackFactPlan } from './pack-facts.rules.js';
import type { ListCounts } from './packs.types.js';

export interface FactCounts extends ListCounts {
  private: number;
}

/** Stores the facts of a pack that the tenant does not have yet, in the open unit of work. */
@Injectable()
export class PackFactsService {
  constructor(private readonly facts: FactImportsService) {}

  /** @param deadline looked at between batches */
  async store(by: Actor, drafts: readonly FactDraft[], deadline: AbortSignal): Promise<FactCounts> {
    const counts = { imported: 0, superseded: 0, skipped: 0, private: 0 };
    const touched = new Set<string>();
    // In the order in which other writers take them, so that neither waits for the other for ever.
    for (const batch of batchesOf(inChainOrder(drafts))) {
      deadline.throwIfAborted();
      const fresh = new PackFactPlan(batch, await this.facts.match(batch), touched);
      counts.superseded += fresh.superseded;
      counts.skipped += batch.length - fresh.drafts.length;
      counts.imported += fresh.drafts.length;
      counts.private += fresh.drafts.filter(({ visibility }) => visibility === VISIBILITY.private).length;
      await this.facts.storeBatch(by, fresh.drafts);
      for (const draft of fresh.drafts) touched.add(chainOf(draft));
    }
    return counts;
  }
}
