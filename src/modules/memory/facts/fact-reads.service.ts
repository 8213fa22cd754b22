import { Injectable } from '@nestjs/common';
import { type AutoStep, AutoSteps, autoTrace } from '../../../common/evidence-log/auto-steps.js';
import { strongestFit } from '../../../search/fit.js';
import type { Fit } from '../../../search/fit.types.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { FactReadStore } from './fact-read.store.js';
import { replyOf } from './fact-replies.js';
import { FactSources } from './fact-sources.js';
import type { FactsQuery, FoundFactsReply } from './fact-queries.dto.js';
import type { FactReply, FactsReply } from './facts.dto.js';
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
    private readonly sources: FactSources,
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
    const limit = query.top_k;
    const { found, fit } = await this.look(reader, {
      ...{ filter, limit },
      ...{ query: query.query, synonyms: query.synonyms },
    });
    const matched = query.query === undefined || found.length > 0;
    const isFallback = !matched && query.fallback !== 'none';
    const best = isFallback ? (await this.look(reader, { filter, limit })).found : found;
    const facts = withinBudget(best, query.token_budget);
    if (caller.agentSession !== undefined) await this.steps.addAlone(reader.tenantId, [stepOf(caller, facts)]);
    const total_tokens = facts.reduce((sum, { tokens }) => sum + tokens, 0);
    return { facts: await this.repliesOf(reader, facts), total_tokens, matched, ...(fit && { fit }) };
  }

  async readEntity(caller: DaemonCaller, entity: string): Promise<FactsReply> {
    const reader = readerOf(caller, await this.tenants.enter(caller));
    const rows = await this.best(reader, { filter: { entity }, limit: MAX_OF_ENTITY });
    return { facts: await this.repliesOf(reader, rows) };
  }

  private async repliesOf(reader: FactReader, rows: readonly FactRow[]): Promise<FactReply[]> {
    const sources = await this.sources.see(reader, rows);
    return rows.map((row) => replyOf(row, sources.get(row.fact_id)));
  }

  /** The best facts for a query; the newest without one. */
  async best(reader: FactReader, wanted: WantedFacts): Promise<FactRow[]> {
    return (await this.look(reader, wanted)).found;
  }

  private async look(reader: FactReader, { query, ...wanted }: WantedFacts): Promise<FoundFacts> {
    const { filter, limit } = wanted;
    if (query === undefined)
      return { found: await this.tenancy.run(reader.tenantId, () => this.reads.findLatest(reader, filter, limit)) };
    const ranked = await this.rank(reader, { ...wanted, query });
    return { found: ranked.map(({ fact }) => fact), fit: strongestFit(ranked.map(({ fit }) => fit)) };
  }

  /** The best facts for a query, with their scores. */
  rank(
    reader: FactReader,
    { filter, query, limit, synonyms }: WantedFacts & { query: string },
  ): Promise<RankedFact<FactRow>[]> {
    const { entity, entityPrefix, asOf } = filter;
    const wanted = { query, limit, synonyms, onlyCurrent: asOf === undefined, entity, entityPrefix };
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
  /** Whether the query finds by related words too. */
  synonyms?: boolean;
  limit: number;
}

interface FoundFacts {
  found: FactRow[];
  /** Of a ranked search. */
  fit?: Fit;
}
