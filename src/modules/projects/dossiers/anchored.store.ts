import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { FactReader } from '../../memory/facts/facts.types.js';

/** Facts whose values are read at once: each may have a MiB. */
const SLICE = 32;

/** Whose private facts are looked at, next to those that everybody sees. */
export type Sight = Pick<FactReader, 'principal' | 'seesAll'>;

/** A record of a fact, whatever became of it. */
export interface AnchoredFact {
  fact_id: string;
  entity: string;
  key: string;
  superseded_by: string | null;
  /** Retired, deleted or set aside. */
  gone: boolean;
  is_layer: boolean;
  /** The reader may see it; layers are for whoever reads projects. */
  is_seen: boolean;
  /** SHA-256 of its value, in hexadecimal. */
  value_digest: string;
}

interface AnchoredWork {
  work_id: string;
  title: string;
  body: string;
}

/** What claims rest on, of the open unit of work's tenant. */
@Injectable()
export class AnchoredStore {
  constructor(private readonly tenancy: Tenancy) {}

  findFacts(ids: readonly string[], sight: Sight): Promise<AnchoredFact[]> {
    return this.find<AnchoredFact>(
      `select f.fact_id, f.entity, f.key, f.superseded_by, f.deleted_at is not null or f.tombstone as gone,
         starts_with(f.entity, 'layer:') as is_layer,
         f.visibility = 0 or f.owner = $3 or $4 or starts_with(f.entity, 'layer:') as is_seen, encode(sha256(convert_to(f.value, 'UTF8')), 'hex') as value_digest
       from unnest($2::uuid[]) w (id) join fact f on f.tenant_id = $1 and f.fact_id = w.id and not f.tombstone`,
      ids,
      sight,
    );
  }

  /** The values of facts, some at a time: whoever takes them has done with some before it gets the next. */
  async *readValues(ids: readonly string[]): AsyncGenerator<{ fact_id: string; value: string }[]> {
    for (let from = 0; from < ids.length; from += SLICE)
      yield await this.find<{ fact_id: string; value: string }>(
        'select f.fact_id, f.value from unnest($2::uuid[]) w (id) join fact f on f.tenant_id = $1 and f.fact_id = w.id',
        ids.slice(from, from + SLICE),
      );
  }

  /**
   * Of each of these facts the current ones of the same entity and key that have another value: private ones that the
   * reader sees, and of a private one the public one. Of others not even that they are there.
   */
  findRivals(ids: readonly string[], sight: Sight): Promise<{ fact_id: string; rival: string }[]> {
    return this.find<{ fact_id: string; rival: string }>(
      `with anchored as materialized (
         select f.fact_id, f.chain, f.owner, f.entity, f.key, f.value from unnest($2::uuid[]) w (id)
         join fact f on f.tenant_id = $1 and f.fact_id = w.id and f.visibility < 2
       ), private as materialized (
         select o.chain, o.entity, o.key, o.value, o.fact_id from (select distinct entity from anchored) n
         join fact_head h on h.tenant_id = $1 and h.entity_start = left(n.entity, 200) and h.entity = n.entity and h.visibility = 1 and h.records > 0
           and (h.owner = $3 or $4)
         join fact o on o.tenant_id = $1 and o.seq = h.seq and ${CURRENT}
       )
       select a.fact_id, o.fact_id as rival from anchored a join private o on o.entity = a.entity and o.key = a.key
         where o.chain <> a.chain and o.value <> a.value
       union all
       select a.fact_id, o.fact_id from anchored a
         join fact_head h on h.tenant_id = $1 and h.chain = svc_fact_chain('', a.entity, a.key) and h.records > 0
         join fact o on o.tenant_id = $1 and o.seq = h.seq and ${CURRENT}
         where a.owner <> '' and o.value <> a.value
       order by 1, 2`,
      ids,
      sight,
    );
  }

  findWork(ids: readonly string[]): Promise<AnchoredWork[]> {
    return this.find<AnchoredWork>(
      'select i.work_id, i.title, i.body from work_item i where i.tenant_id = $1 and i.work_id = any ($2::text[])',
      ids,
    );
  }

  async findUnknownReceipts(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.find<{ id: string }>('select u.id from svc_unknown_receipts($1, $2::text[]) u (id)', ids);
    return new Set(rows.map(({ id }) => id));
  }

  private find<Row>(sql: string, ids: readonly string[], sight?: Sight): Promise<Row[]> {
    const given = [this.tenancy.tenant, ids, ...(sight ? [sight.principal, sight.seesAll] : [])];
    return ids.length === 0 ? Promise.resolve([]) : this.tenancy.query<Row>(sql, given);
  }
}

/** Neither superseded nor retired, deleted or set aside. */
const CURRENT = 'o.superseded_at is null and o.deleted_at is null and not o.tombstone';
