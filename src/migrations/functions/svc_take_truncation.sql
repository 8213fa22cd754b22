-- What svc_note_truncation noted, once: the table, and who was logged in.
create or replace function svc_take_truncation() returns table (table_name text, login text)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    target bigint;
    by_role bigint;
  begin
    perform pg_advisory_xact_lock(hashtextextended('svc refused truncation', 0));
    select t.last_value, r.last_value into target, by_role
      from refused_truncation_table t cross join refused_truncation_role r where t.is_called;
    if target is null then
      return;
    end if;
    perform setval('refused_truncation_table', 1, false);
    return query select coalesce((select c.relname::text from pg_class c where c.oid = target::oid), target::text),
      coalesce((select r.rolname::text from pg_roles r where r.oid = by_role::oid), by_role::text);
  end $$;
