-- The transactions that write facts of the tenant at this moment, by the lock that svc_enter_facts takes before it
-- draws a seq. When those seen after a seq was read have ended, all lower seqs are committed or will never be; nobody
-- was kept waiting.
create or replace function svc_fact_writers(me text) returns table (writer text) language sql as $$
    select distinct l.virtualtransaction from pg_locks l, hashtextextended('svc facts ' || me, 0) k
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid = ((k >> 32) & 4294967295)::oid and l.objid = (k & 4294967295)::oid and l.pid <> pg_backend_pid()
  $$;
