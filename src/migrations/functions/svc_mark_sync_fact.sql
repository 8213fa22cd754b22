-- A fact that an incident sets aside, or brings back, is looked at again: its seq is an old one.
create or replace function svc_mark_sync_fact() returns trigger language plpgsql as $$
  begin
    insert into public.sync_change (tenant_id, target, parts)
      select new.tenant_id, 'facts', array[new.entity, new.key] from public.sync_tenant s where s.tenant_id = new.tenant_id;
    return null;
  end $$;
