import type { SampledTable } from './sampled-projection.js';

/** Totals and chains longer than this are not replayed: probes are cheap. */
const MAX_REPLAYED = 1_000;

/**
 * How a row whose key is a tenant's own text is named to the public: 12 digits of SHA-256 over its key, members parted
 * by slashes.
 */
const named = (...members: string[]): string =>
  `left(encode(sha256(convert_to(concat_ws('/', ${members.join(', ')}), 'UTF8')), 'hex'), 12)`;

/** The head of a chain of facts is its last record, of the same name, and counts those that are not deleted. */
const FACT_HEADS: SampledTable = {
  name: 'facts.heads',
  rows: 50,
  sql: `
    select h.tenant_id, array[encode(h.chain, 'hex'), ''] as place, coalesce(last.fact_id::text, left(encode(h.chain, 'hex'), 12)) as id,
      coalesce((last.version, last.seq, last.stored_at, last.owner, last.entity) = (h.version, h.seq, h.stored_at, h.owner, h.entity), false)
        and (last.visibility = 0) = (h.visibility = 0)
        and case when h.version > ${MAX_REPLAYED} then (h.records > 0) = not (last.tombstone or last.quarantined) else h.records = (
          select count(*) from fact f where f.tenant_id = h.tenant_id and f.chain = h.chain and f.deleted_at is null and not f.tombstone) end as same
    from (select * from fact_head where (tenant_id, chain) > ($1, decode(($2::text[])[1], 'hex')) order by tenant_id, chain limit $3) h
    left join lateral (
      select f.fact_id, f.version, f.seq, f.stored_at, f.owner, f.entity, f.visibility, f.tombstone, f.quarantined from fact f where f.tenant_id = h.tenant_id and f.chain = h.chain
      order by f.version desc limit 1) last on true
    order by h.tenant_id, h.chain`,
};

/** The totals of a tenant's facts are what a count gives. */
const FACT_TOTALS: SampledTable = {
  name: 'facts.totals',
  rows: 2,
  sql: `
    select t.tenant_id, array['', ''] as place, ${named('t.tenant_id')} as id, t.records > ${MAX_REPLAYED} or not exists (
      select from (
        select visibility, sum(records) as records, sum(current) as current from fact_count
        where tenant_id = t.tenant_id and scope = '' group by visibility) kept
      full join (
        select visibility, count(*) as records, count(*) filter (where superseded_by is null) as current from fact
        where tenant_id = t.tenant_id and deleted_at is null and not tombstone group by visibility) counted using (visibility)
      where (coalesce(kept.records, 0), coalesce(kept.current, 0)) <> (coalesce(counted.records, 0), coalesce(counted.current, 0))) as same
    from (
      select tenant_id, sum(records) as records from fact_count where tenant_id > $1 and scope = '' and $2::text[] is not null
      group by tenant_id order by tenant_id limit $3) t
    order by t.tenant_id`,
};

/** An entity is its newest version. */
const GRAPH_ENTITIES: SampledTable = {
  name: 'graph.entities',
  rows: 50,
  sql: `
    select e.tenant_id, array[e.kind, e.id] as place, ${named('e.tenant_id', 'e.kind', 'e.id')} as id,
      coalesce((last.version, last.is_deleted, last.stored_at) = (e.version, e.is_deleted, e.updated_at), false) as same
    from (
      select * from graph_entity where (tenant_id, kind, id) > ($1, ($2::text[])[1], ($2::text[])[2])
      order by tenant_id, kind, id limit $3) e
    left join lateral (
      select v.version, v.is_deleted, v.stored_at from graph_entity_version v
      where v.tenant_id = e.tenant_id and v.kind = e.kind and v.id = e.id order by v.version desc limit 1) last on true
    order by e.tenant_id, e.kind, e.id`,
};

/** As many entities, and edges, of a kind are live as its counters say. */
const GRAPH_KINDS: SampledTable = {
  name: 'graph.kinds',
  rows: 4,
  sql: `
    select k.tenant_id, array[k.kind, k.used_by] as place, ${named('k.tenant_id', 'k.kind', 'k.used_by')} as id,
      k.live > ${MAX_REPLAYED} or k.live = case k.used_by
        when 'entity' then (select count(*) from graph_entity e where e.tenant_id = k.tenant_id and e.kind = k.kind and not e.is_deleted)
        else (select count(*) from graph_edge e where e.tenant_id = k.tenant_id and e.edge_kind = k.kind and not e.is_deleted) end as same
    from (
      select tenant_id, kind, used_by, sum(live) as live from graph_kind
      where (tenant_id, kind, used_by) > ($1, ($2::text[])[1], ($2::text[])[2]) and used_by in ('entity', 'edge')
      group by tenant_id, kind, used_by order by tenant_id, kind, used_by limit $3) k
    order by k.tenant_id, k.kind, k.used_by`,
};

/** A stream goes on where its last event ends. */
const STREAM_HEADS: SampledTable = {
  name: 'streams.heads',
  rows: 50,
  sql: `
    select h.tenant_id, array[h.stream_type, h.stream_id] as place, ${named('h.tenant_id', 'h.stream_type', 'h.stream_id')} as id,
      h.next_seq = coalesce(last.seq + 1, 0) as same
    from (
      select * from stream_head where (tenant_id, stream_type, stream_id) > ($1, ($2::text[])[1], ($2::text[])[2])
      order by tenant_id, stream_type, stream_id limit $3) h
    left join lateral (
      select e.seq from stream_event e where e.tenant_id = h.tenant_id and e.stream_type = h.stream_type and e.stream_id = h.stream_id
      order by e.seq desc limit 1) last on true
    order by h.tenant_id, h.stream_type, h.stream_id`,
};

export const DERIVED_TABLES: readonly SampledTable[] = [
  FACT_HEADS,
  FACT_TOTALS,
  GRAPH_ENTITIES,
  GRAPH_KINDS,
  STREAM_HEADS,
];
