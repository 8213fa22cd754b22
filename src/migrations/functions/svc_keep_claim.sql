-- An item that a revoked passport claims is free as it is claimed, as its lease is.
create or replace function svc_keep_claim() returns trigger language plpgsql as $$
  begin
    if svc_is_revoked(new.tenant_id, new.lease_holder) then
      new.lease_expires_at := least(new.lease_expires_at, date_trunc('milliseconds', clock_timestamp()));
    end if;
    return new;
  end $$;
