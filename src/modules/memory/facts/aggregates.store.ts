import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { AggregateOp } from './aggregates.rules.js';
import { Parameters } from './fact-sql.js';
import { latestFacts } from './latest-facts.js';
import type { FactFilter, FactReader } from './facts.types.js';

/** What numbers look like that PostgreSQL reads as numeric, with a bound on their size. */
const NUMBER = `'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$'`;
const TRIMMED = `btrim(f.value, E' \\t\\r\\n')`;
const AS_NUMBER = `case when octet_length(f.value) <= 400 and ${TRIMMED} ~ ${NUMBER} then ${TRIMMED}::numeric end`;

const RESULTS: Record<Exclude<AggregateOp, 'latest'>, string> = {
  count: 'count(*)::text',
  sum: 'coalesce(sum(p.number), 0)::text',
  avg: 'avg(p.number)::text',
  min: 'min(p.number)::text',
  max: 'max(p.number)::text',
  distinct: 'count(distinct p.value)::text',
};

export interface Aggregated {
  result: string | null;
  considered: string;
  numbers: string;
  total_tokens: string;
  samples: string[] | null;
}

/** Values of the latest facts, put together by the database. Call in a unit of work. */
@Injectable()
export class AggregatesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @param among records only among which the facts are, the budget being spent already */
  async aggregate(
    op: Exclude<AggregateOp, 'latest'>,
    reader: FactReader,
    { filter, among, tokenBudget }: { filter: FactFilter; among?: readonly string[]; tokenBudget?: number | undefined },
  ): Promise<Aggregated> {
    const parameters = new Parameters();
    const parts = latestFacts(reader, filter, parameters, among).map(
      ({ facts }) => `select f.value, f.tokens, f.stored_at, f.seq ${facts}`,
    );
    const isBudgeted = tokenBudget !== undefined && among === undefined;
    const spent = isBudgeted ? 'sum(f.tokens) over (order by f.stored_at desc, f.seq desc)' : '0::bigint';
    const within = isBudgeted ? `where p.spent <= ${parameters.add(tokenBudget)}` : '';
    const samples =
      op === 'distinct'
        ? 'array(select distinct left(p.value, 1024) from picked p order by 1 limit 1000)'
        : 'null::text[]';
    const [row] = await this.tenancy.query<Aggregated>(
      `with found as (select f.value, f.tokens, ${AS_NUMBER} as number, ${spent} as spent from (${parts.join(' union all ')}) f),
         picked as materialized (select * from found p ${within})
       select ${RESULTS[op]} as result, count(*) as considered, count(p.number) as numbers, coalesce(sum(p.tokens), 0) as total_tokens,
         ${samples} as samples from picked p`,
      parameters.values,
    );
    return row!;
  }
}
