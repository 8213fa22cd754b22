-- What a revoked passport asks for has lapsed as it is asked.
create or replace function svc_keep_gate() returns trigger language plpgsql as $$
  begin
    if svc_is_revoked(new.tenant_id, new.requested_passport) then
      new.expires_at := new.requested_at;
      new.reason := 'The passport that asked has been revoked';
    end if;
    return new;
  end $$;
