-- Adds receipts, moves the heads of their streams, which the caller has locked, hands the records to the log, and writes
-- the outbox events that go with them, all in the order in which they are given. receipts: receipt_id, stream, seq,
-- prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, digest, session; heads: stream, seq, payload_hash;
-- events: event_id, kind, subject, data. Heads are moved one by one: a plan for all of them that was made while a tenant
-- had few streams would read every head once it has many.
create or replace function svc_append_receipts(me text, receipts json, heads json, events json) returns void
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    head record;
  begin
    if json_array_length(events) > 0 then
      insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, e.event_id, e.kind, e.subject, e.data
        from rows from (json_to_recordset(events) as (event_id uuid, kind text, subject text, data jsonb)) with ordinality
          as e(event_id, kind, subject, data, place) order by e.place;
    end if;
    for head in select * from json_to_recordset(heads) n (stream text, seq bigint, payload_hash bytea) loop
      update receipt_head h set seq = head.seq, payload_hash = head.payload_hash where h.tenant_id = me and h.stream = head.stream;
    end loop;
    with r as materialized (
      select r.* from rows from (json_to_recordset(receipts)
        as (receipt_id uuid, stream text, seq bigint, prev_hash bytea, payload_hash bytea, kind text, actor text, subject text,
          occurred_at timestamptz, cose bytea, digest bytea, session text)) with ordinality
        as r(receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, digest, session, place)
    ), logged as (
      insert into log_pending (record_type, record_digest) select 'execution', digest from r order by place
    )
    insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
      select me, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session from r order by place;
  end $$;
