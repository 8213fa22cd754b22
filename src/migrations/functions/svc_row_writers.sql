-- The transactions that add rows of the tenant to a table at this moment, by the lock of svc_enter_rows; of those that
-- write facts ('facts'), by the lock that svc_enter_facts takes before it draws a seq. When those seen after a number was
-- read have ended, all rows with lower numbers are committed or will never be; nobody was kept waiting.
create or replace function svc_row_writers(me text, of_table text) returns table (writer text) language sql as $$
    select distinct l.virtualtransaction from pg_locks l, hashtextextended('svc ' || of_table || ' ' || me, 0) k
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid = ((k >> 32) & 4294967295)::oid and l.objid = (k & 4294967295)::oid and l.pid <> pg_backend_pid()
  $$;
