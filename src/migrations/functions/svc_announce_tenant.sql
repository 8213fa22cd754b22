create or replace function svc_announce_tenant() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_tenant_changed', old.tenant_id);
    return null;
  end $$;
