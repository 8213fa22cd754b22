-- Processes that asked for the passport before it was registered ask again.
create or replace function svc_announce_passport() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_passport_registered', json_build_object('tenant', new.tenant_id, 'principal', 'passport:' || new.passport_id)::text);
    return null;
  end $$;
