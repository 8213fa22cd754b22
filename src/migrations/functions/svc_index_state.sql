-- The visible shards with their segments and tombstones: one statement, one snapshot. A shard the caller knows at its
-- generation comes without its content, one it knows at an earlier generation with the tombstones since.
create or replace function svc_index_state(me text, known_shards uuid[], known_generations bigint[])
  returns table (tenant_id text, shard_id uuid, corpus_id text, shareability text, language text, generation text,
    is_known boolean, segments jsonb, tombstones jsonb)
  language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select v.tenant_id, v.shard_id, v.corpus_id, v.shareability, v.language, v.generation::text, coalesce(k.generation = v.generation, false),
            case when k.generation is distinct from v.generation then coalesce((
              select jsonb_agg(jsonb_build_array(s.segment_id, s.sequence, s.chunk_count) order by s.sequence, s.segment_id)
              from index_segment s where s.tenant_id = v.tenant_id and s.shard_id = v.shard_id), '[]') end,
            case when k.generation is distinct from v.generation then coalesce((
              select jsonb_agg(jsonb_build_array(t.chunk_id, t.generation)) from index_tombstone t
              where t.tenant_id = v.tenant_id and t.shard_id = v.shard_id and t.generation > coalesce(k.generation, 0)), '[]') end
          from svc_visible_shards() v left join unnest(known_shards, known_generations) k(shard_id, generation) using (shard_id)
          order by v.shard_id;
      end $$;
