-- Every shard the tenant of the transaction may search. By branches, so that indexes and not the policy find them.
-- Stable, so that it reads in its caller's snapshot: a volatile one would take a newer one, and give a generation whose
-- tombstones the caller cannot see.
create or replace function svc_visible_shards()
  returns table (tenant_id text, shard_id uuid, corpus_id text, shareability text, language text, generation bigint)
  language plpgsql stable as $$
      declare
        me text := nullif(current_setting('svc.tenant_id', true), '');
      begin
        return query
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from index_shard s where s.tenant_id = me
          union all
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from index_shard s where s.shareability = 'public_safe' and s.tenant_id <> me
          union all
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from entitlement e join index_shard s on s.tenant_id = e.publisher_tenant_id and s.corpus_id = e.corpus_id
          where e.tenant_id = me and s.shareability = 'entitled_only' and s.tenant_id <> me;
      end $$;
