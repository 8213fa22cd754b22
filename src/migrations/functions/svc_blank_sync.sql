-- Takes the digests of content out of versions of these records, and what is kept of it: the index finds each of them
-- changed, and makes a version of what is there then.
create or replace function svc_blank_sync(me text, keys bytea[]) returns void language plpgsql as $$
  begin
    perform set_config('svc.sync_moves', 'on', true);
    delete from public.sync_content c using public.sync_record r
      where r.tenant_id = me and r.key = any(keys) and c.tenant_id = me and c.key = r.key and c.digest = r.digest;
    perform set_config('svc.sync_moves', '', true);
    update public.sync_record r set local_digest = '\x', content_digest = null,
        digest = case when r.deleted then r.digest else sha256(convert_to(gen_random_uuid()::text, 'UTF8')) end
      where r.tenant_id = me and r.key = any(keys) and exists (
        select from public.sync_record o where o.tenant_id = me and o.key = r.key and not o.deleted);
  end $$;
