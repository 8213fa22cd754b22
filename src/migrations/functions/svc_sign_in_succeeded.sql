-- The sign-in that was admitted as mark succeeded: it counts no more, and the address starts again with this tenant.
-- Its failures with other tenants stay counted.
create or replace function svc_sign_in_succeeded(of_address bytea, of_pair bytea, of_tenant bytea, mark int)
  returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        update throttle set attempts = greatest(attempts - 1, 0), blocked_until = case when attempts = mark then null else blocked_until end
          where subject = of_address;
        delete from throttle where subject = of_pair;
        update throttle set attempts = greatest(attempts - 1, 0) where subject = of_tenant;
      end $$;
