-- Notes that a table was not emptied: its transaction fails, and what sequences are set to stays. Of several that come
-- before the daemon looks, the last one.
create or replace function svc_note_truncation(target oid) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    perform setval('refused_truncation_table', target::bigint);
    perform setval('refused_truncation_role', (select r.oid::bigint from pg_roles r where r.rolname = session_user));
  end $$;
