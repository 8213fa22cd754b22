-- The facts of one entity, or of those whose names begin so and lie between two bounds in the index: the current ones,
-- or all versions; one more than asked for when there are more.
create or replace function svc_facts_of_entity(me text, of_entity text, of_prefix text, low text, high text,
  with_history boolean, most int) returns table (seq bigint)
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select f.seq
      from (
        select h.chain, h.seq from fact_head h
        where h.tenant_id = me and h.entity_start >= low and h.entity_start < high and (with_history or h.records > 0)
          and (of_entity is null or h.entity = of_entity) and (of_prefix is null or starts_with(h.entity, of_prefix))
        offset 0
      ) h cross join lateral (
        select h.seq where not with_history
        union all
        select f.seq from fact f where with_history and f.tenant_id = me and f.chain = h.chain and not f.tombstone
      ) f
      limit most + 1;
  end $$;
