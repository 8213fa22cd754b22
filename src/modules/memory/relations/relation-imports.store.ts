import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ImportedRelation, RelationName } from './relations.types.js';

/** Lists of relations in the open unit of work. */
@Injectable()
export class RelationImportsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns of each, in their order, what the tenant has of it */
  async match(relations: readonly ImportedRelation[]): Promise<('same' | 'other' | 'none')[]> {
    const rows = await this.tenancy.query<{ found: 'same' | 'other' | 'none' }>(MATCH, [
      this.tenancy.tenant,
      JSON.stringify(relations.map((relation) => ({ ...relation, confidence: Math.fround(relation.confidence) }))),
    ]);
    return rows.map(({ found }) => found);
  }

  async store(relations: readonly ImportedRelation[], actor: string): Promise<void> {
    const named = relations.map((relation) => ({
      ...relation,
      confidence: Math.fround(relation.confidence),
      event: uuid(),
    }));
    await this.tenancy.query(STORE, [this.tenancy.tenant, JSON.stringify(named), actor]);
  }

  async remove(relations: readonly RelationName[], actor: string): Promise<void> {
    const named = relations.map((relation) => ({ ...relation, event: uuid() }));
    await this.tenancy.query(REMOVE, [this.tenancy.tenant, JSON.stringify(named), actor]);
  }
}

const COLUMNS = `from_id bigint, to_id bigint, edge_type text, confidence real, created_at_micros bigint, updated_at_micros bigint`;

const MATCH = `
  select case when r.from_id is null then 'none'
    when r.confidence = i.confidence and r.updated_at_micros = coalesce(i.updated_at_micros, r.updated_at_micros) then 'same'
    else 'other' end as found
  from json_array_elements($2::json) with ordinality n (item, place)
  cross join lateral json_to_record(n.item) i (${COLUMNS})
  left join relation r on r.tenant_id = $1 and r.from_id = i.from_id and r.edge_type = i.edge_type and r.to_id = i.to_id
  order by n.place`;

const STORE = `
  select count(s.*) from json_to_recordset($2::json) i (${COLUMNS}, event uuid)
  cross join lateral svc_store_relation($1, i.from_id, i.to_id, i.edge_type, i.confidence, i.created_at_micros,
    i.updated_at_micros, $3, i.event) s`;

const REMOVE = `
  with gone as (
    delete from relation r using json_to_recordset($2::json) i (from_id bigint, to_id bigint, edge_type text, event uuid)
    where r.tenant_id = $1 and r.from_id = i.from_id and r.edge_type = i.edge_type and r.to_id = i.to_id
    returning i.event, r.from_id, r.edge_type, r.to_id
  )
  insert into outbox_event (tenant_id, event_id, kind, subject, data)
  select $1, g.event, 'relation.deleted', g.from_id || ' ' || g.edge_type || ' ' || g.to_id,
    jsonb_build_object('from_id', g.from_id, 'to_id', g.to_id, 'edge_type', g.edge_type, 'actor', $3::text) from gone g`;
