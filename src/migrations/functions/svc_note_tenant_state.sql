-- What a deleted tenant shares leaves the view of all others with its name.
create or replace function svc_note_tenant_state() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    if new.state = 'deleted' then
      delete from registered_tenant where name = new.tenant_id;
    else
      insert into registered_tenant (name) values (new.tenant_id) on conflict do nothing;
    end if;
    return null;
  end $$;
