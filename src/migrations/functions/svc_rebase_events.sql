-- Events of before a restore, and the places of their readers, bear transaction ids of another database: all move below
-- every new one, and what was not yet delivered is delivered from its place on. Positions go on from a number that no
-- event had before, by the clock as well, since the same backup may be restored again: so a place that a client kept is
-- known to be of before the restore, where nothing says what has come behind it since.
create or replace function svc_rebase_events() returns void language plpgsql as $$
      begin
        update outbox_cursor c set transaction = '3', position = coalesce((select min(e.position) - 1 from outbox_event e
          where (e.transaction, e.position) > (c.transaction, c.position)), 9223372036854775807);
        update outbox_event set transaction = '3';
        update watch set created_snapshot = null;
        update webhook_endpoint set created_snapshot = null;
        delete from outbox_restore;
        insert into outbox_restore (position)
          select setval('outbox_event_position_seq', greatest(last_value + 1000000000, (extract(epoch from clock_timestamp()) * 1000)::bigint))
          from outbox_event_position_seq;
      end $$;
