-- What one hop from these artifacts goes along, at most `most` relations: artifacts in the order given, the relations
-- of each by falling confidence, then type, then target. The join goes through the artifacts one after another and ends
-- at the limit, so that a hub is never read whole. Both statements are one but for the index that serves them: of every
-- type (wanted null), or of some.
create or replace function svc_next_relations(me text, artifacts bigint[], scores float8[], wanted text[],
  least_confidence real, most int) returns table (score float8, edge_type text, to_id bigint, confidence real)
  language plpgsql as $$
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
