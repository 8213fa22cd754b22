-- Content of a version that goes other than by the index, which says so: the version is of no use without it.
create or replace function svc_mark_sync_content() returns trigger language plpgsql as $$
  declare
    one record;
  begin
    for one in
      select g.tenant_id, array_agg(distinct r.key) as keys from gone g
        join public.tenant t on t.tenant_id = g.tenant_id and t.state <> 'deleted'
        join public.sync_record r on r.tenant_id = g.tenant_id and r.key = g.key and r.digest = g.digest group by 1
    loop
      insert into public.sync_change (tenant_id, target, parts)
        select distinct r.tenant_id, r.target, r.parts from public.sync_record r where r.tenant_id = one.tenant_id and r.key = any(one.keys);
      perform public.svc_blank_sync(one.tenant_id, one.keys);
    end loop;
    return null;
  end $$;
