-- Every process ends what it has open for the principal, and asks again what it knew of it.
create or replace function svc_announce_principal_end() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_principal_ended', json_build_object('tenant', new.tenant_id, 'principal', new.principal)::text);
    return null;
  end $$;
