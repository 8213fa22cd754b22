-- A query's one round trip: the passages it found and, in the first row, the state of every visible shard after they
-- were read. One plan for all: one made for few passages takes longer to make than to run.
create or replace function svc_retrieve(me text, wanted_tenants text[], wanted text[])
  returns table (state text, chunk_id text, tenant_id text, corpus_id text, doc_id text, version int, title text,
    url text, content text, content_hash bytea, location jsonb)
  language plpgsql set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select null::text, c.chunk_id, c.tenant_id, c.corpus_id, c.doc_id, c.version, c.title, c.url, c.content, c.content_hash,
            c.location
          from unnest(wanted_tenants, wanted) w(tenant_id, chunk_id)
          join chunk c on c.tenant_id = w.tenant_id and c.chunk_id = w.chunk_id;
        return query
          select coalesce(string_agg(v.shard_id || ':' || v.generation, ',' order by v.shard_id), ''),
            null, null, null, null, null::int, null, null, null, null::bytea, null::jsonb
          from svc_visible_shards() v;
      end $$;
