-- What was added to the vectors of a kind, or emptied, after a place; all of it where rows were removed since the reader
-- looked last. The last row has no item: it says how many removals there were.
create or replace function svc_memory_vectors(me text, wanted_space int, wanted_kind text, after bigint, known bigint, most int)
  returns table (place bigint, item_id text, visibility smallint, owner text, vector bytea, removals bigint)
  language plpgsql as $$
      declare
        -- A plain number: under row-level security an expression of one would not be looked up in the index.
        line bigint;
        now_removed bigint;
      begin
        perform set_config('svc.tenant_id', me, true);
        select coalesce(max(s.removals), 0) into now_removed from memory_vector_state s
          where s.tenant_id = me and s.space_id = wanted_space and s.kind = wanted_kind;
        line := case when now_removed = known then after else 0 end;
        return query
          (select v.place, v.item_id, v.visibility, v.owner, v.vector, null::bigint from memory_vector v
           where v.tenant_id = me and v.space_id = wanted_space and v.kind = wanted_kind and v.place > line
           order by v.place limit most)
          union all select null::bigint, null::text, null::smallint, null::text, null::bytea, now_removed;
      end $$;
