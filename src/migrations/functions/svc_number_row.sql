-- Gives a row that is new or changed the next number of the sequence named. The transaction shows first that it writes
-- rows of the tenant to the table, as in svc_enter_rows.
create or replace function svc_number_row() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended('svc ' || tg_table_name || ' ' || new.tenant_id, 0));
        new.seq := nextval(tg_argv[0]);
        return new;
      end $$;
