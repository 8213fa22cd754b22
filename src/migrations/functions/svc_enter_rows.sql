-- Before a statement draws the numbers of its rows, its transaction shows that it writes rows of the tenant to the
-- table: svc_row_writers finds it. Shared, so nobody waits.
create or replace function svc_enter_rows() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended(
          'svc ' || tg_table_name || ' ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
        return null;
      end $$;
