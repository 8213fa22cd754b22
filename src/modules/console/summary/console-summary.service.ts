import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ReceiptsService } from '../../evidence/receipts/receipts.service.js';
import { FactListsService } from '../../memory/facts/fact-lists.service.js';
import { FactReadsService } from '../../memory/facts/fact-reads.service.js';
import type { ConsoleFacts, ConsoleSummary, FactCensus, ReviewQueue } from './console-summary.dto.js';
import { deciderOf, weightOf } from './console-summary.rules.js';
import { ConsoleSummaryStore } from './console-summary.store.js';

const AUTHORITY = 'GET /v1/facts/list';
const LAST_RECEIPTS = 5;
const SHOWN_VALUE = 200;

/** What the console's overview shows of a tenant. */
@Injectable()
export class ConsoleSummaryService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: ConsoleSummaryStore,
    private readonly lists: FactListsService,
    private readonly reads: FactReadsService,
    private readonly receipts: ReceiptsService,
  ) {}

  async summarise(caller: DaemonCaller): Promise<ConsoleSummary> {
    const counts = await this.tenants.run(caller, undefined, () => this.store.count());
    const { rows } = await this.receipts.list(caller, { limit: LAST_RECEIPTS });
    return {
      facts: await this.count(caller),
      waiting: {
        ...{ candidates: counts.candidate, gates: counts.gate, approvals: counts.approval },
        ...{ mint_requests: counts.mint_request, access_requests: counts.access_request },
      },
      ...{ open_incidents: counts.incidents, active_holds: counts.holds },
      sync: { peers: counts.peers, conflicts: counts.sync_conflicts, held: counts.sync_held },
      last_receipts: rows.map(({ receipt_id, kind, principal, occurred_at }) => ({
        ...{ receipt_id, kind, principal, occurred_at },
      })),
      authority: AUTHORITY,
    };
  }

  /** By the totals of the list, so that both say the same: what is shown are current facts, the rest all versions. */
  private async count(caller: DaemonCaller): Promise<FactCensus> {
    const { current: shown, currentWithReserved, versions, nondeleted: stored } = await this.lists.count(caller);
    return { shown, shown_with_reserved: currentWithReserved, versions, stored };
  }

  async listFacts(caller: DaemonCaller, topK: number): Promise<ConsoleFacts> {
    const { facts } = await this.reads.find(caller, { top_k: topK, fallback: 'none', synonyms: false });
    const now = Date.now();
    const shown = facts.map((fact) => ({
      ...{ fact_id: fact.fact_id, entity: fact.entity, key: fact.key, value: fact.value.slice(0, SHOWN_VALUE) },
      ...{ score: weightOf(fact, now), stored_at: fact.stored_at, private: fact.private },
    }));
    shown.sort((a, b) => b.score - a.score);
    return { facts: shown, count: shown.length, authority: AUTHORITY };
  }

  async listWaiting(caller: DaemonCaller, limit: number): Promise<ReviewQueue> {
    const rows = await this.tenants.run(caller, undefined, () => this.store.listWaiting(limit + 1));
    const items = rows.slice(0, limit).map(({ waiting_since, expires_at, ...row }) => ({
      ...row,
      ...{ waiting_since: waiting_since.toISOString(), expires_at: expires_at?.toISOString() ?? null },
      decide: deciderOf(row.kind, row.id),
    }));
    return { items, count: items.length, has_more: rows.length > limit };
  }
}
