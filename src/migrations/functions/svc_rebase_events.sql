-- A restored database may count its transactions from lower than the rows it holds: without this, readers would wait at
-- a line that is never passed. Everything that was restored moves below every new transaction; what was not yet
-- delivered is delivered from its place on.
create or replace function svc_rebase_events() returns void language plpgsql as $$
      declare
        next_id xid8 := pg_snapshot_xmax(pg_current_snapshot());
      begin
        update outbox_cursor c set transaction = '3', position = coalesce((select min(e.position) - 1 from outbox_event e
          where (e.transaction, e.position) > (c.transaction, c.position) and e.transaction >= next_id), 9223372036854775807)
          where c.transaction >= next_id;
        update outbox_event set transaction = '3' where transaction >= next_id;
        update watch set created_snapshot = null where pg_snapshot_xmax(created_snapshot) > next_id;
        update webhook_endpoint set created_snapshot = null where pg_snapshot_xmax(created_snapshot) > next_id;
      end $$;
