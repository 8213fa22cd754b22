-- Breadth first, level by level. A level's artifacts are gone through by falling score, then id, and each relation gone
-- along costs one of the budget. An artifact is found at its smallest distance, with the best score of the relations
-- that lead to it from the level before.
create or replace function svc_expand_relations(me text, seeds bigint[], wanted text[], most_hops int, budget int,
  least_confidence real, decay float8, out artifacts json, out edges_traversed int, out edge_types_used text[],
  out hops_used int) returns record
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
