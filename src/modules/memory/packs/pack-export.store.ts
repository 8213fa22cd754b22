import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { PackList } from './packs.types.js';

export interface PackRow {
  list: PackList;
  item: Record<string, unknown>;
}

/** A fact may have a MiB, and a pack is given up as soon as it is too large. */
const A_FETCH = 100;

/** Everything that a pack is made of, in the open unit of work. */
@Injectable()
export class PackExportStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** By list, and in it by name: one statement, so that all of it is as of one moment. */
  async *read(): AsyncGenerator<PackRow> {
    await this.tenancy.query(`declare svc_pack no scroll cursor for ${CONTENTS}`);
    for (;;) {
      const rows = await this.tenancy.query<PackRow>(`fetch ${A_FETCH} from svc_pack`);
      yield* rows;
      if (rows.length < A_FETCH) break;
    }
    await this.tenancy.query('close svc_pack');
  }
}

const FACTS = `
  select 1 as part, 'facts' as list, array[f.visibility::text, f.owner, f.entity, f.key, lpad(f.version::text, 10, '0')] as place,
    json_build_object('entity', f.entity, 'key', f.key, 'value', f.value, 'private', f.visibility = 1, 'owner', f.owner, 'actor', f.actor,
      'confidence', f.confidence, 'horizon_class', f.horizon_class, 'tenant_hash', f.tenant_hash,
      'valid_from', coalesce(f.valid_from, f.stored_at), 'valid_to', f.valid_to) as item
  from fact f where f.deleted_at is null and not f.tombstone and not f.quarantined and f.visibility < 2`;

const SESSIONS = `
  select 2, 'sessions', array[s.session_id, ''], json_build_object('session_id', s.session_id, 'opened_by', s.opened_by, 'opened_at', s.opened_at)
  from observe_session s where s.archived_at is null
  union all
  select 2, 'sessions', array[t.session_id, t.path], json_build_object('node_id', t.node_id, 'parent_id', t.parent_id, 'label', t.label,
    'actor', t.actor, 'kind', t.kind, 'risk_class', t.risk_class, 'status', t.status, 'private', t.private, 'owner', t.owner,
    'ts_start', t.ts_start, 'ts_end', t.ts_end, 'inputs', t.inputs, 'outputs', t.outputs)
  from observe_step t join observe_session s using (tenant_id, session_id) where s.archived_at is null`;

const ENTITIES = `
  select 3, 'entities', array[e.kind, e.id], json_build_object('kind', e.kind, 'id', e.id, 'payload', v.payload)
  from graph_entity e join graph_entity_version v using (tenant_id, kind, id, version) where not e.is_deleted and e.kind <> 'engram'`;

/** The versions of one after another, the newest last; deletions are none. */
const ENGRAMS = `
  select 8, 'engrams', array[v.id, lpad(v.version::text, 10, '0')], json_build_object('name', v.id, 'payload', v.payload,
    'labels', array(select l.label from engram_label l where l.tenant_id = v.tenant_id and l.kind = v.kind and l.id = v.id
      and l.engram_version = v.version order by l.label), 'is_newest', v.version = e.version)
  from graph_entity e join graph_entity_version v using (tenant_id, kind, id) where e.kind = 'engram' and not e.is_deleted and not v.is_deleted`;

const EDGES = `
  select 4, 'edges', array[g.from_kind, g.from_id, g.edge_kind, g.to_kind, g.to_id], json_build_object('from_kind', g.from_kind, 'from_id', g.from_id,
    'edge_kind', g.edge_kind, 'to_kind', g.to_kind, 'to_id', g.to_id, 'payload', g.payload)
  from graph_edge g where not g.is_deleted`;

const RELATIONS = `
  select 5, 'relations', array[lpad(r.from_id::text, 10, '0'), r.edge_type, lpad(r.to_id::text, 10, '0')], json_build_object('from_id', r.from_id,
    'to_id', r.to_id, 'edge_type', r.edge_type, 'confidence', r.confidence, 'created_at_micros', r.created_at_micros,
    'updated_at_micros', r.updated_at_micros)
  from relation r`;

const CASES = `
  select 6, 'cases', array[to_char(c.created_at at time zone 'UTC', 'YYYYMMDDHH24MISSMS'), c.case_id::text], json_build_object('case_id', c.case_id,
    'task', c.task, 'action', c.action, 'outcome', c.outcome, 'context', c.context, 'lesson', c.lesson, 'success', c.success, 'reward', c.reward,
    'tags', c.tags, 'recorded_by', c.recorded_by, 'created_at', c.created_at, 'screened', c.screened)
  from memory_case c where not c.quarantined`;

/** Those that are to be decided on: of the others there are the facts. */
const CANDIDATES = `
  select 7, 'candidates', array[to_char(c.created_at at time zone 'UTC', 'YYYYMMDDHH24MISSMS'), c.candidate_id::text],
    json_build_object('candidate_id', c.candidate_id, 'entity', c.entity, 'key', c.key, 'value', c.value, 'confidence', c.confidence,
      'profile', c.profile, 'extractor', c.extractor, 'resolution', c.resolution, 'evidence', c.evidence, 'session_id', c.session_id,
      'session_date', to_char(c.session_date, 'YYYY-MM-DD'), 'created_by', c.created_by, 'created_at', c.created_at, 'screened', c.screened)
  from candidate c where c.status = 'pending' and c.action = 'store'`;

const CONTENTS = `
  select c.list, c.item from (${[FACTS, SESSIONS, ENTITIES, EDGES, RELATIONS, CASES, CANDIDATES, ENGRAMS].join(' union all ')}) c
  order by c.part, c.place collate "C"`;
