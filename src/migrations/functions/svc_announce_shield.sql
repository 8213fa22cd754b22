create or replace function svc_announce_shield() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_shield_changed', new.tenant_id);
    return null;
  end $$;
