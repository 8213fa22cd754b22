import { Injectable } from '@nestjs/common';
import { type AutoStep, AutoSteps, autoTrace } from '../../../common/evidence-log/auto-steps.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { FactReadStore } from './fact-read.store.js';
import { replyOf } from './fact-replies.js';
import type { FactsQuery, FactsReply, FoundFactsReply } from './facts.dto.js';
import { withinBudget } from './facts.rules.js';
import { readerOf } from './facts.service.js';
import { FactSearchService } from './fact-search/fact-search.service.js';
import type { RankedFact } from './fact-search/fact-search.types.js';
import type { FactNeighbour, FactFilter, FactReader, FactRow } from './facts.types.js';

/** Keys of one entity in an answer at most. */
const MAX_OF_ENTITY = 1000;

/** The facts that hold: the latest of each entity and key, by filters or by rank (memory-daemon.md 4.2). */
@Injectable()
export class FactReadsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly reads: FactReadStore,
    private readonly ranking: FactSearchService,
    private readonly steps: AutoSteps,
  ) {}

  async find(caller: DaemonCaller, query: FactsQuery): Promise<FoundFactsReply> {
    const reader = readerOf(caller, await this.tenants.enter(caller));
    const filter: FactFilter = {
      entity: query.entity,
      entityPrefix: query.entity_prefix || undefined,
      minEffectiveConfidence: query.min_effective_confidence,
      asOf: query.as_of,
    };
    const best = await this.best(reader, { filter, query: query.query, limit: query.top_k });
    const facts = withinBudget(best, query.token_budget);
    if (caller.agentSession !== undefined) await this.steps.addAlone(reader.tenantId, [stepOf(caller, facts)]);
    return { facts: facts.map(replyOf), total_tokens: facts.reduce((sum, { tokens }) => sum + tokens, 0) };
  }

  async readEntity(caller: DaemonCaller, entity: string): Promise<FactsReply> {
    const reader = readerOf(caller, await this.tenants.enter(caller));
    const rows = await this.best(reader, { filter: { entity }, limit: MAX_OF_ENTITY });
    return { facts: rows.map(replyOf) };
  }

  /** The best facts for a query; the newest without one. */
  async best(reader: FactReader, { filter, query, limit }: WantedFacts): Promise<FactRow[]> {
    if (query === undefined)
      return this.tenancy.run(reader.tenantId, () => this.reads.findLatest(reader, filter, limit));
    return (await this.rank(reader, { filter, query, limit })).map(({ fact }) => fact);
  }

  /** The best facts for a query, with their scores. */
  rank(reader: FactReader, { filter, query, limit }: Required<WantedFacts>): Promise<RankedFact<FactRow>[]> {
    const { entity, entityPrefix, asOf } = filter;
    const wanted = { query: query ?? '', limit, onlyCurrent: asOf === undefined, entity, entityPrefix };
    return this.ranking.search(reader, wanted, (seqs) =>
      this.tenancy.run(reader.tenantId, () => this.reads.findAmong(reader, filter, seqs)),
    );
  }

  /** What was stored next to these facts, and those of it that are current. */
  findNeighbours(
    reader: FactReader,
    facts: readonly FactRow[],
  ): Promise<{ neighbours: FactNeighbour[]; rows: FactRow[] }> {
    const known = new Set(facts.map(({ seq }) => seq));
    return this.tenancy.run(reader.tenantId, async () => {
      const neighbours = await this.reads.findNeighbours(reader, [...known]);
      const others = new Set(neighbours.map(({ seq }) => seq).filter((seq) => !known.has(seq)));
      return { neighbours, rows: others.size === 0 ? [] : await this.reads.findAmong(reader, {}, [...others]) };
    });
  }
}

const stepOf = ({ agentSession, principal }: DaemonCaller, facts: readonly FactRow[]): AutoStep => ({
  ...{ session: agentSession!, kind: 'retrieval', label: 'facts.found', actor: principal, status: 'ok' },
  ...{ at: new Date().toISOString(), outputs: facts.map(({ fact_id }) => autoTrace('fact', fact_id)) },
});

interface WantedFacts {
  filter: FactFilter;
  query?: string | undefined;
  limit: number;
}
