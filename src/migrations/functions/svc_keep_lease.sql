-- A lease of a revoked passport is over as it begins.
create or replace function svc_keep_lease() returns trigger language plpgsql as $$
  begin
    if svc_is_revoked(new.tenant_id, new.holder_passport) or (new.held_by <> new.holder_passport and svc_is_revoked(new.tenant_id, new.held_by)) then
      new.expires_at := new.acquired_at;
    end if;
    return new;
  end $$;
