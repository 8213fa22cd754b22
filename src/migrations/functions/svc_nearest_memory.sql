-- The nearest vectors of one kind among those that the reader may see, nearest first: what others keep private is not
-- compared at all.
create or replace function svc_nearest_memory(me text, wanted_space int, wanted_kind text, wanted text, dimensions int,
  reader text, sees_all boolean, with_reserved boolean, at_most int) returns table (item_id text, similarity float8)
  language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
        perform set_config('hnsw.max_scan_tuples', '1000000', true);
        return query execute format(
          'with near as materialized ('
          '  select v.item_id, v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) as distance from memory_vector v '
          '  where vector_dims(v.embedding) = %1$s and v.tenant_id = $2 and v.space_id = $3 and v.kind = $4 '
          '    and (v.visibility = 0 or ($5 or v.owner = $6) and ($7 or v.visibility < 2)) '
          '  order by v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) limit $8) '
          'select n.item_id, 1 - n.distance from near n order by n.distance + 0', dimensions, svc_vector_type(dimensions))
          using wanted, me, wanted_space, wanted_kind, sees_all, reader, with_reserved, at_most;
      end $$;
