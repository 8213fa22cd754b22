create or replace function svc_announce_tenant_end() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_tenant_ended', old.tenant_id);
    return null;
  end $$;
