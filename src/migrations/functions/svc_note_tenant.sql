create or replace function svc_note_tenant() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    insert into registered_tenant (name) values (new.tenant_id);
    return null;
  end $$;
