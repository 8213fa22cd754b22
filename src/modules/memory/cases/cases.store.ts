import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { B, K1 } from '../../../search/bm25.js';
import { AGE } from './cases.rules.js';
import type { NearPart } from '../vectors/memory-vectors.types.js';
import type { CaseScore } from './cases.types.js';
import { MemoryCaseRow } from './memory-case.entity.js';

/** What is asked for. */
interface CaseSearch {
  terms: ReadonlyMap<string, number>;
  near: readonly NearPart[];
  limit: number;
  onlySuccess: boolean;
}

export interface RankedCase extends CaseScore {
  row: MemoryCaseRow;
}

/** Cases by their words, an index in PostgreSQL, and by what is near in meaning, scored there in one statement. */
@Injectable()
export class CasesStore {
  private readonly rows: TenantRepository<MemoryCaseRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.rows = new TenantRepository(tenancy, MemoryCaseRow);
  }

  async index(caseId: string, terms: ReadonlyMap<string, number>): Promise<void> {
    await this.tenancy.query(INDEX, [this.tenancy.tenant, caseId, [...terms.keys()], [...terms.values()]]);
  }

  /** The same of many. */
  async indexAll(cases: readonly { caseId: string; terms: ReadonlyMap<string, number> }[]): Promise<void> {
    const words = cases.flatMap(({ caseId, terms }) => [...terms].map(([term, count]) => ({ caseId, term, count })));
    await this.tenancy.query(INDEX_ALL, [
      ...[this.tenancy.tenant, words.map(({ caseId }) => caseId), words.map(({ term }) => term)],
      words.map(({ count }) => count),
    ]);
  }

  /** Best first; of equal ones the latest. */
  async rank({ terms, near, limit, onlySuccess }: CaseSearch): Promise<RankedCase[]> {
    const found = await this.tenancy.query<Record<string, unknown>>(RANK, [
      ...[this.tenancy.tenant, [...terms.keys()], [...terms.values()], onlySuccess, limit],
      ...[K1, B, AGE.least, AGE.halfLifeDays],
      ...[near.map(({ itemId }) => itemId), near.map(({ part }) => part)],
    ]);
    return found.map((raw) => ({
      row: this.rows.toRow(raw),
      score: Number(raw['ranked_score']),
      bm25: Number(raw['ranked_bm25']),
      vector: Number(raw['ranked_vector']),
      rewardFactor: Number(raw['ranked_reward']),
      ageFactor: Number(raw['ranked_age']),
    }));
  }
}

const INDEX = `
  insert into memory_case_term (tenant_id, term, case_id, frequency)
  select $1, w.term, $2, w.frequency from unnest($3::text[], $4::int[]) w (term, frequency)`;

const INDEX_ALL = `
  insert into memory_case_term (tenant_id, term, case_id, frequency)
  select $1, w.term, w.case_id, w.frequency from unnest($2::uuid[], $3::text[], $4::int[]) w (case_id, term, frequency)`;

/**
 * BM25 as src/search has it, over the cases of the tenant that are not set aside; sums in the order of words. The
 * vector component is in terms of the best case by words, at least 1, as that of facts is.
 */
const RANK = `
  with whole as (select count(*)::float8 as cases, avg(c.length)::float8 as average from memory_case c where c.tenant_id = $1 and not c.quarantined),
  posting as (
    select t.case_id, t.term, t.frequency, c.length, c.success, w.wanted, count(*) over (partition by t.term) as spread
    from unnest($2::text[], $3::int[]) w (term, wanted)
    join memory_case_term t on t.tenant_id = $1 and t.term = w.term
    join memory_case c on c.tenant_id = $1 and c.case_id = t.case_id and not c.quarantined
  ),
  matched as (
    select p.case_id, sum(p.wanted * ln(1 + (a.cases - p.spread + 0.5) / (p.spread + 0.5)) * ($6::float8 + 1) *
        p.frequency / (p.frequency + $6::float8 * (1 - $7::float8 + $7::float8 * p.length / a.average)) order by p.term collate "C") as bm25
    from posting p cross join whole a
    where not $4 or p.success
    group by p.case_id
  ),
  near as (
    select c.case_id, n.part from unnest($10::bigint[], $11::float8[]) n (seq, part)
    join memory_case c on c.tenant_id = $1 and c.seq = n.seq and not c.quarantined
    where not $4 or c.success
  ),
  found as (
    select case_id, coalesce(m.bm25, 0) as bm25,
      coalesce(n.part, 0) * (select greatest(1, max(b.bm25)) from matched b) as vector
    from matched m full join near n using (case_id)
  ),
  ranked as (
    select c.case_id, m.bm25 as ranked_bm25, m.vector as ranked_vector, 0.5 + c.reward::float8 / 2 as ranked_reward,
      $8::float8 + (1 - $8::float8) * power(2::float8, -greatest(0, (now() at time zone 'UTC')::date - (c.created_at at time zone 'UTC')::date) / $9::float8) as ranked_age
    from found m join memory_case c on c.tenant_id = $1 and c.case_id = m.case_id
  )
  select c.*, r.ranked_bm25, r.ranked_vector, r.ranked_reward, r.ranked_age,
    (r.ranked_bm25 + r.ranked_vector) * r.ranked_reward * r.ranked_age as ranked_score
  from ranked r join memory_case c on c.tenant_id = $1 and c.case_id = r.case_id
  order by ranked_score desc, c.case_id desc limit $5`;
