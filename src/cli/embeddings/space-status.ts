import type { Query } from '../../common/tenancy/cross-tenant.js';

interface Counts {
  facts: number;
  cases: number;
  engrams: number;
  candidates: number;
  passages: number;
}

/** A space of vectors in use, and how far it is. */
export interface SpaceStatus {
  name: string;
  model: string;
  dimensions: number | null;
  state: 'serving' | 'building';
  created_at: string;
  serving_since: string | null;
  embedded: Counts;
  /** While another space is in the making, what is new goes to that one. */
  waiting: Counts;
  /** The last failure, until something is embedded again. */
  failed_at: string | null;
  reason: string | null;
}

export const listSpaces = async (query: Query): Promise<SpaceStatus[]> => {
  const rows = await query<{ space: SpaceStatus }>(STATUS);
  return rows.map(({ space }) => space);
};

const STATUS = `
  select json_build_object(
    'name', v.name, 'model', v.model, 'dimensions', v.dimensions, 'state', v.state,
    'created_at', v.created_at, 'serving_since', v.serving_since,
    'embedded', json_build_object(
      'facts', (select count(*) from memory_vector m where m.space_id = v.space_id and m.kind = 'fact' and m.vector is not null),
      'cases', (select count(*) from memory_vector m where m.space_id = v.space_id and m.kind = 'case'),
      'engrams', (select count(*) from memory_vector m where m.space_id = v.space_id and m.kind = 'engram' and m.vector is not null),
      'candidates', (select count(*) from memory_vector m where m.space_id = v.space_id and m.kind = 'candidate' and m.vector is not null),
      'passages', (select count(*) from chunk_vector c where c.model = v.name)),
    'waiting', json_build_object(
      'facts', (
        select count(*) from (select distinct tenant_id from fact_head) t
        left join memory_vector_state s on s.tenant_id = t.tenant_id and s.space_id = v.space_id and s.kind = 'fact'
        join fact f on f.tenant_id = t.tenant_id and f.seq > coalesce(s.position, 0)
        where not f.tombstone and f.superseded_at is null and f.deleted_at is null),
      'cases', (
        select count(*) from memory_case c
        left join memory_vector_state s on s.tenant_id = c.tenant_id and s.space_id = v.space_id and s.kind = 'case'
        where c.seq > coalesce(s.position, 0)),
      'engrams', (
        select count(*) from graph_entity e join graph_entity_version r using (tenant_id, kind, id, version)
        left join memory_vector_state s on s.tenant_id = e.tenant_id and s.space_id = v.space_id and s.kind = 'engram'
        where e.kind = 'engram' and not e.is_deleted and r.seq > coalesce(s.position, 0)),
      'candidates', (
        select count(*) from candidate c
        left join memory_vector_state s on s.tenant_id = c.tenant_id and s.space_id = v.space_id and s.kind = 'candidate'
        where c.status = 'pending' and c.seq > coalesce(s.position, 0)),
      'passages', (
        select count(*) from chunk c
        join document_version d on d.tenant_id = c.tenant_id and d.corpus_id = c.corpus_id and d.doc_id = c.doc_id and d.version = c.version
        where c.retired_at is null and d.semantic_profile <> 'lexical'
          and not exists (select from chunk_vector x where x.tenant_id = c.tenant_id and x.chunk_id = c.chunk_id and x.model = v.name))),
    'failed_at', v.failed_at, 'reason', v.reason) as space
  from vector_space v where v.state <> 'retired' order by v.state desc`;
