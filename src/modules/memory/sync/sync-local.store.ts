import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type LocalRow, localStateOf } from './sync-local.rules.js';
import type { LocalState, RecordCollection } from './sync-record.types.js';

/** A record, wherever it is. */
export interface RecordName {
  readonly target: RecordCollection;
  readonly parts: readonly string[];
  readonly key: string;
}

/** What the tables of the memory have of records, in the open unit of work: one statement a collection. */
@Injectable()
export class SyncLocalStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns by key; of each that is asked for */
  async read(names: readonly RecordName[]): Promise<Map<string, LocalState>> {
    const found = new Map<string, LocalState>();
    for (const target of new Set(names.map((name) => name.target))) {
      const wanted = names.filter((name) => name.target === target);
      const rows = await this.rowsOf(target, wanted);
      const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
      for (const [place, { key, parts }] of wanted.entries())
        found.set(key, localStateOf(target, parts, byPlace.get(place + 1)));
    }
    return found;
  }

  private rowsOf(target: RecordCollection, names: readonly RecordName[]): Promise<LocalRow[]> {
    const count = names[0]!.parts.length;
    const columns = Array.from({ length: count }, (_, part) => names.map(({ parts }) => parts[part]));
    return this.tenancy.query<LocalRow>(READS[target], [this.tenancy.tenant, ...columns]);
  }
}

/** A validity without beginning is said to begin when it was stored, unless it had ended by then. */
const FACTS = `
  select n.place, f.* from (
    select n.place, svc_fact_chain('', n.entity, n.key) as chain
    from unnest($2::text[], $3::text[]) with ordinality n (entity, key, place) offset 0) n
  cross join lateral (
    select h.seq, h.records = 0 as absent from fact_head h where h.tenant_id = $1 and h.chain = n.chain offset 0) h
  cross join lateral (
    select f.quarantined as withheld, h.absent, f.value, f.actor, f.confidence, f.horizon_class, f.tenant_hash,
      coalesce(f.valid_from, case when f.valid_to is null or f.stored_at < f.valid_to then f.stored_at end) as valid_from, f.valid_to
    from fact f where f.tenant_id = $1 and f.seq = h.seq offset 0) f`;

/** Each of the ids by itself, whatever the statistics of a table that grew a moment ago say. */
const oneByOne = (types: string[], names: string[], found: string): string => `
  select n.place, f.* from unnest(${types.map((type, part) => `$${part + 2}::${type}[]`).join(', ')})
    with ordinality n (${[...names, 'place'].join(', ')})
  cross join lateral (${found} offset 0) f`;

const ENTITIES = oneByOne(
  ['text', 'text'],
  ['kind', 'id'],
  `select e.is_deleted as absent, (select v.payload from graph_entity_version v
     where v.tenant_id = $1 and v.kind = e.kind and v.id = e.id and v.version = e.version) as payload
   from graph_entity e where e.tenant_id = $1 and e.kind = n.kind and e.id = n.id`,
);

const EDGES = oneByOne(
  ['text', 'text', 'text', 'text', 'text'],
  ['from_kind', 'from_id', 'edge_kind', 'to_kind', 'to_id'],
  `select e.is_deleted as absent, e.payload from graph_edge e where e.tenant_id = $1 and e.from_kind = n.from_kind
   and e.from_id = n.from_id and e.edge_kind = n.edge_kind and e.to_kind = n.to_kind and e.to_id = n.to_id`,
);

const RELATIONS = oneByOne(
  ['bigint', 'text', 'bigint'],
  ['from_id', 'edge_type', 'to_id'],
  `select r.confidence, r.created_at_micros, r.updated_at_micros from relation r
   where r.tenant_id = $1 and r.from_id = n.from_id and r.edge_type = n.edge_type and r.to_id = n.to_id`,
);

const CASES = oneByOne(
  ['uuid'],
  ['case_id'],
  `select c.quarantined as withheld, c.task, c.action, c.outcome, c.context, c.lesson, c.success, c.reward, c.tags, c.screened,
     c.recorded_by, c.created_at from memory_case c where c.tenant_id = $1 and c.case_id = n.case_id`,
);

const HOLDS = oneByOne(
  ['uuid'],
  ['hold_id'],
  `select h.reason, h.entity_prefixes, h.placed_by, h.placed_at, h.released_by, h.released_at
   from legal_hold h where h.tenant_id = $1 and h.hold_id = n.hold_id`,
);

const READS: Readonly<Record<RecordCollection, string>> = {
  facts: FACTS,
  entities: ENTITIES,
  edges: EDGES,
  relations: RELATIONS,
  cases: CASES,
  holds: HOLDS,
};
