-- A sign-in is counted as failed before its key is looked at, so that many at once are no more than many in a row. The
-- tenant's own count blocks nobody; past 100 it takes from every address all free failures for that tenant but the
-- first.
create or replace function svc_admit_sign_in(of_address bytea, of_pair bytea, of_tenant bytea, out wait int,
  out mark int) returns record
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        address throttle := svc_throttle_row(of_address);
        pair throttle := svc_throttle_row(of_pair);
        tenant throttle := svc_throttle_row(of_tenant);
      begin
        wait := coalesce(svc_seconds_until(greatest(address.blocked_until, pair.blocked_until)), 0);
        if wait > 0 then return; end if;
        mark := svc_throttle_add(of_address, 25, 1, 900);
        perform svc_throttle_add(of_pair, case when tenant.attempts < 100 then 5 else 1 end, 1, 900);
        update throttle set attempts = attempts + 1, counted_at = clock_timestamp() where subject = of_tenant;
      end $$;
