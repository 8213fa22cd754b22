import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { AggregateReply, AggregateRequest } from './aggregates.dto.js';
import { exactNumber, isNumeric, type AggregateOp } from './aggregates.rules.js';
import { AggregatesStore, type Aggregated } from './aggregates.store.js';
import { FactReadsService } from './fact-reads.service.js';
import { replyOf } from './fact-replies.js';
import { beforeBudgetEnds } from './facts.rules.js';
import { readerOf } from './facts.service.js';
import type { FactFilter, FactReader, FactRow } from './facts.types.js';

/** Facts that a query ranks into an aggregate at most. */
const MAX_RANKED = 1000;

/** One figure of the values of many facts (memory-daemon.md 4.2). */
@Injectable()
export class AggregatesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: AggregatesStore,
    private readonly reads: FactReadsService,
  ) {}

  async aggregate(caller: DaemonCaller, request: AggregateRequest): Promise<AggregateReply> {
    const reader = readerOf(caller, await this.tenants.enter(caller));
    const { op, entity, key, query, as_of: asOf, token_budget: tokenBudget } = request;
    const filter: FactFilter = { entity, key, asOf };
    if (op === 'latest') return this.latest(reader, filter, request);
    const among =
      query === undefined
        ? undefined
        : (await this.ranked(reader, filter, { query, tokenBudget })).map(({ seq }) => seq);
    const found = await this.tenancy.run(reader.tenantId, () =>
      this.store.aggregate(op, reader, { filter, ...(among ? { among } : {}), tokenBudget }),
    );
    return aggregateOf(op, found);
  }

  private async latest(
    reader: FactReader,
    filter: FactFilter,
    { query, token_budget }: AggregateRequest,
  ): Promise<AggregateReply> {
    const facts =
      query === undefined
        ? beforeBudgetEnds(await this.reads.best(reader, { filter, limit: 1 }), token_budget)
        : await this.ranked(reader, filter, { query, tokenBudget: token_budget });
    const newest = facts.toSorted(
      (a, b) => b.stored_at.getTime() - a.stored_at.getTime() || Number(b.seq) - Number(a.seq),
    )[0];
    return {
      op: 'latest',
      value: newest?.value ?? null,
      count: newest ? 1 : 0,
      skipped: 0,
      considered: facts.length,
      total_tokens: facts.reduce((sum, { tokens }) => sum + tokens, 0),
      ...(newest ? { fact: replyOf(newest) } : {}),
    };
  }

  private async ranked(
    reader: FactReader,
    filter: FactFilter,
    { query, tokenBudget }: { query: string; tokenBudget: number | undefined },
  ): Promise<FactRow[]> {
    return beforeBudgetEnds(await this.reads.best(reader, { filter, query, limit: MAX_RANKED }), tokenBudget);
  }
}

function aggregateOf(op: AggregateOp, found: Aggregated): AggregateReply {
  const considered = Number(found.considered);
  const count = isNumeric(op) ? Number(found.numbers) : considered;
  const { result } = found;
  return {
    op,
    // An average is rounded anyway.
    value:
      result === null ? null : op === 'avg' && Number.isFinite(Number(result)) ? Number(result) : exactNumber(result),
    count,
    skipped: considered - count,
    considered,
    total_tokens: Number(found.total_tokens),
    ...(found.samples ? { values: found.samples } : {}),
  };
}
