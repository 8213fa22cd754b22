create or replace function svc_announce_setting() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_setting_changed', coalesce(new.tenant_id, old.tenant_id));
    return null;
  end $$;
