-- Counts a request of a kind that has no failure: the seconds to wait, 0 when it may pass. What is refused is not
-- counted.
create or replace function svc_admit_request(wanted bytea, free int, first_seconds int, most_seconds int) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        wait int := svc_seconds_until((svc_throttle_row(wanted)).blocked_until);
      begin
        if coalesce(wait, 0) > 0 then return wait; end if;
        perform svc_throttle_add(wanted, free, first_seconds, most_seconds);
        return 0;
      end $$;
