import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The numeric relation graph of the daemon: weighted relations between artifacts, and its breadth-first expansion. */
export class CreateRelations1795302100000 implements MigrationInterface {
  name = 'CreateRelations1795302100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(EXPANSION);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_expand_relations(text, bigint[], text[], integer, integer, real, double precision),
        svc_next_relations(text, bigint[], double precision[], text[], real, integer),
        svc_store_relation(text, bigint, bigint, text, real, bigint, bigint, text, uuid);
      drop table relation;
    `);
  }
}

const TABLE = `
  -- Ids are unsigned and of 32 bits, which integer does not hold.
  create table relation (
    tenant_id text not null,
    from_id bigint not null check (from_id between 0 and 4294967295),
    to_id bigint not null check (to_id between 0 and 4294967295),
    edge_type text collate "C" not null,
    confidence real not null check (confidence between 0 and 1),
    created_at_micros bigint not null,
    updated_at_micros bigint not null,
    primary key (tenant_id, from_id, edge_type, to_id)
  );
  create index relation_incoming on relation (tenant_id, to_id, edge_type, from_id);
  -- An expansion takes the most confident relations of an artifact first, and no more of them than its budget: it never reads a hub whole.
  create index relation_best on relation (tenant_id, from_id, confidence desc, edge_type, to_id);
  create index relation_best_of_type on relation (tenant_id, from_id, edge_type, confidence desc, to_id);
  select svc_secure_table('relation');

  -- created_at stays what it was at first, updated_at is never before it. Times that are not given are now.
  create function svc_store_relation(me text, source bigint, target bigint, of_type text, how_sure real, created bigint, updated bigint, actor text,
    event uuid) returns setof relation language plpgsql as $$
  declare
    stored relation;
    this_moment bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into relation as r (tenant_id, from_id, to_id, edge_type, confidence, created_at_micros, updated_at_micros)
      values (me, source, target, of_type, how_sure, coalesce(created, least(this_moment, updated)),
        coalesce(updated, greatest(this_moment, created)))
      on conflict (tenant_id, from_id, edge_type, to_id) do update set confidence = excluded.confidence,
        updated_at_micros = greatest(excluded.updated_at_micros, r.created_at_micros)
      returning * into stored;
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (me, event, 'relation.stored', source || ' ' || of_type || ' ' || target,
      jsonb_build_object('from_id', source, 'to_id', target, 'edge_type', of_type, 'confidence', how_sure, 'actor', actor));
    return next stored;
  end $$;
  grant execute on function svc_store_relation(text, bigint, bigint, text, real, bigint, bigint, text, uuid) to svc_app;
`;

const EXPANSION = `
  -- What one hop from these artifacts goes along, at most \`most\` relations: artifacts in the order given, the relations of each by falling confidence,
  -- then type, then target. The join goes through the artifacts one after another and ends at the limit, so that a hub is never read whole.
  -- Both statements are one but for the index that serves them: of every type (wanted null), or of some.
  create function svc_next_relations(me text, artifacts bigint[], scores double precision[], wanted text[], least_confidence real, most integer)
    returns table (score double precision, edge_type text, to_id bigint, confidence real) language plpgsql as $$
  begin
    if wanted is null then
      return query
        select f.score, e.* from unnest(artifacts, scores) f(id, score) cross join lateral (
          select r.edge_type, r.to_id, r.confidence from relation r
          where r.tenant_id = me and r.from_id = f.id and r.confidence >= least_confidence
          order by r.confidence desc, r.edge_type, r.to_id limit most) e
        limit most;
    else
      return query
        select f.score, e.* from unnest(artifacts, scores) f(id, score) cross join lateral (
          select best.* from unnest(wanted) w(edge_type) cross join lateral (
            select r.edge_type, r.to_id, r.confidence from relation r
            where r.tenant_id = me and r.from_id = f.id and r.edge_type = w.edge_type and r.confidence >= least_confidence
            order by r.confidence desc, r.to_id limit most) best
          order by best.confidence desc, best.edge_type, best.to_id limit most) e
        limit most;
    end if;
  end $$;

  -- Breadth first, level by level. A level's artifacts are gone through by falling score, then id, and each relation gone along costs one of the budget.
  -- An artifact is found at its smallest distance, with the best score of the relations that lead to it from the level before.
  create function svc_expand_relations(me text, seeds bigint[], wanted text[], most_hops integer, budget integer, least_confidence real,
    decay double precision, out artifacts json, out edges_traversed integer, out edge_types_used text[], out hops_used integer)
    language plpgsql as $$
  declare
    known bigint[];
    known_hops integer[];
    known_scores double precision[];
    frontier bigint[];
    frontier_scores double precision[];
    reached bigint[];
    reached_scores double precision[];
    reached_by text[];
    types text[] := '{}';
  begin
    perform set_config('svc.tenant_id', me, true);
    select array_agg(s.id order by s.id), array_agg(1.0::double precision) into frontier, frontier_scores
      from (select distinct unnest(seeds) as id) s;
    known := frontier;
    known_scores := frontier_scores;
    known_hops := array_fill(0, array[cardinality(frontier)]);
    edges_traversed := 0;
    hops_used := 0;
    for hop in 1..most_hops loop
      exit when edges_traversed = budget or cardinality(frontier) = 0;
      select array_agg(r.to_id), array_agg(r.score * r.confidence * decay), array_agg(distinct r.edge_type) into reached, reached_scores, reached_by
        from svc_next_relations(me, frontier, frontier_scores, wanted, least_confidence, budget - edges_traversed) r;
      exit when reached is null;
      edges_traversed := edges_traversed + cardinality(reached);
      types := types || reached_by;
      hops_used := hop;
      -- What is known already comes in with no score, and so drops out.
      select coalesce(array_agg(n.id order by n.score desc, n.id), '{}'), coalesce(array_agg(n.score order by n.score desc, n.id), '{}')
        into frontier, frontier_scores
        from (
          select a.id, max(a.score) as score
          from (select unnest(reached) as id, unnest(reached_scores) as score union all select unnest(known), null) a
          group by a.id having count(*) = count(a.score)
        ) n;
      known := known || frontier;
      known_scores := known_scores || frontier_scores;
      known_hops := known_hops || array_fill(hop, array[cardinality(frontier)]);
    end loop;
    select coalesce(array_agg(distinct t.edge_type collate "C"), '{}') into edge_types_used from unnest(types) t(edge_type);
    -- Confidences have 32 bits, so scores are shown with as many; what is too small for that is none.
    select json_agg(json_build_object('artifact_id', a.id, 'hop_distance', a.hop, 'score', a.score) order by a.hop, a.score desc, a.id) into artifacts
      from (
        select k.id, k.hop, case when k.score < 1.2e-38 then 0 else k.score::real end as score
        from unnest(known, known_hops, known_scores) k(id, hop, score)
      ) a;
  end $$;
  grant execute on function svc_next_relations(text, bigint[], double precision[], text[], real, integer),
    svc_expand_relations(text, bigint[], text[], integer, integer, real, double precision) to svc_app;
`;
