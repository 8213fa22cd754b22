-- Iterative scans go on until enough rows pass the filters and the policy, so that neither makes the answer too short.
create or replace function svc_nearest_vectors(me text, shards uuid[], wanted_model text, wanted text, dimensions int,
  at_most int) returns table (tenant_id text, chunk_id text, similarity float8)
  language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
        perform set_config('hnsw.max_scan_tuples', '1000000', true);
        return query execute format(
          'with near as materialized ('
          '  select v.tenant_id, v.chunk_id, v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) as distance from chunk_vector v '
          '  where vector_dims(v.embedding) = %1$s and v.model = $2 and v.shard_id = any($3) '
          '  order by v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) limit $4) '
          'select n.tenant_id, n.chunk_id, 1 - n.distance from near n order by n.distance + 0', dimensions, svc_vector_type(dimensions))
          using wanted, wanted_model, shards, at_most;
      end $$;
