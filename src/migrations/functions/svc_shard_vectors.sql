create or replace function svc_shard_vectors(me text, owner text, shard uuid, wanted_model text, after bigint)
  returns table (chunk_id text, generation text, vector bytea)
  language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select v.chunk_id, v.generation::text, v.vector from chunk_vector v
          where v.tenant_id = owner and v.shard_id = shard and v.model = wanted_model and v.generation > after;
      end $$;
