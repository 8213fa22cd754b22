import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { inRounds } from '../../../common/database/rounds.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { keyOf } from './edges.store.js';
import type { EdgeIdentity } from './graph.types.js';

/** Whether an item is there as it is, with another payload, or not (any more). */
export type GraphMatch = 'same' | 'other' | 'none';

const ITEMS = `json_array_elements($2::json) with ordinality n (item, place)`;
const FOUND = (payload: string): string =>
  `case when g.is_deleted is not false then 'none' when ${payload}::jsonb = (n.item -> 'payload')::jsonb then 'same' else 'other' end as found`;

const MATCH_ENTITIES = `
  select ${FOUND('v.payload')} from ${ITEMS}
  left join graph_entity g on g.tenant_id = $1 and g.kind = n.item ->> 'kind' and g.id = n.item ->> 'id'
  left join graph_entity_version v on v.tenant_id = $1 and v.kind = g.kind and v.id = g.id and v.version = g.version
  order by n.place`;

const MATCH_EDGES = `
  select ${FOUND('g.payload')} from ${ITEMS}
  left join graph_edge g on g.tenant_id = $1 and g.from_kind = n.item ->> 'from_kind' and g.from_id = n.item ->> 'from_id'
    and g.edge_kind = n.item ->> 'edge_kind' and g.to_kind = n.item ->> 'to_kind' and g.to_id = n.item ->> 'to_id'
  order by n.place`;

const LOCK_PAYLOADS = `
  select g.kind, g.id, v.payload from graph_entity g
  join graph_entity_version v on v.tenant_id = $1 and v.kind = g.kind and v.id = g.id and v.version = g.version
  where g.tenant_id = $1 and not g.is_deleted
    and (g.kind, g.id) in (select n.kind, n.id from json_to_recordset($2::json) n (kind text, id text))
  order by g.kind, g.id for no key update of g`;

const RETIRE_ENTITIES = `
  select count(d.*) from json_to_recordset($2::json) i (kind text, id text, event uuid)
  cross join lateral svc_delete_entity($1, i.kind, i.id, $3, i.event) d`;

const RETIRE_EDGES = `
  select count(d.*) from json_to_recordset($2::json) i (from_kind text, from_id text, edge_kind text, to_kind text, to_id text, event uuid)
  cross join lateral svc_delete_edge($1, i.from_kind, i.from_id, i.edge_kind, i.to_kind, i.to_id, $3, i.event) d`;

/** Lists of entities and edges in the open unit of work, one statement a list. */
@Injectable()
export class GraphImportsStore {
  constructor(private readonly tenancy: Tenancy) {}

  storeEntities(entities: readonly { kind: string; id: string; payload: unknown }[], actor: string): Promise<number> {
    const rounds = roundsOf(entities, ({ kind, id }) => [kind, id]);
    return this.storeRounds('select svc_store_entities($1, $2, $3) as stored', rounds, actor);
  }

  storeEdges(edges: readonly (EdgeIdentity & { payload: unknown })[], actor: string): Promise<number> {
    return this.storeRounds('select svc_store_edges($1, $2, $3) as stored', roundsOf(edges, keyOf), actor);
  }

  matchEntities(entities: readonly object[]): Promise<GraphMatch[]> {
    return this.match(MATCH_ENTITIES, entities);
  }

  matchEdges(edges: readonly object[]): Promise<GraphMatch[]> {
    return this.match(MATCH_EDGES, edges);
  }

  async lockPayloads(entities: readonly { kind: string; id: string }[]): Promise<({ payload: unknown } | undefined)[]> {
    const rows = await this.tenancy.query<{ kind: string; id: string; payload: unknown }>(LOCK_PAYLOADS, [
      this.tenancy.tenant,
      JSON.stringify(entities),
    ]);
    return entities.map(({ kind, id }) => rows.find((row) => row.kind === kind && row.id === id));
  }

  async retireEntities(entities: readonly { kind: string; id: string }[], actor: string): Promise<void> {
    await this.retire(RETIRE_ENTITIES, entities, actor);
  }

  async retireEdges(edges: readonly EdgeIdentity[], actor: string): Promise<void> {
    await this.retire(RETIRE_EDGES, edges, actor);
  }

  private async retire(sql: string, items: readonly object[], actor: string): Promise<void> {
    if (items.length === 0) return;
    const named = items.map((item) => ({ ...item, event: uuid() }));
    await this.tenancy.query(sql, [this.tenancy.tenant, JSON.stringify(named), actor]);
  }

  private async match(sql: string, items: readonly object[]): Promise<GraphMatch[]> {
    const rows = await this.tenancy.query<{ found: GraphMatch }>(sql, [this.tenancy.tenant, JSON.stringify(items)]);
    return rows.map(({ found }) => found);
  }

  private async storeRounds(sql: string, rounds: object[][], actor: string): Promise<number> {
    if (rounds.length === 0) return 0;
    const [row] = await this.tenancy.query<{ stored: number }>(sql, [
      this.tenancy.tenant,
      JSON.stringify(rounds),
      actor,
    ]);
    return row!.stored;
  }
}

/** Each with the id of the event that will report it. */
const roundsOf = <T extends object>(list: readonly T[], nameOf: (item: T) => string[]): object[][] =>
  inRounds(
    list.map((item) => ({ ...item, event: uuid() })),
    nameOf,
  );
