-- Adds receipts, moves the heads of their streams, which the caller has locked, hands the records to the log, and writes
-- the outbox events that go with them, all in the order in which they are given. receipts: receipt_id, stream, seq,
-- prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, digest, session; heads: stream, seq, payload_hash;
-- events: event_id, kind, subject, data. Rows are found by their keys alone: a plan made while the tables were small must
-- not read them whole when they have grown.
create or replace function svc_append_receipts(me text, receipts json, heads json, events json) returns void
  language plpgsql set enable_seqscan = off as $$
  begin
    if json_array_length(events) > 0 then
      insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, e.event_id, e.kind, e.subject, e.data
        from rows from (json_to_recordset(events) as (event_id uuid, kind text, subject text, data jsonb)) with ordinality
          as e(event_id, kind, subject, data, place) order by e.place;
    end if;
    update receipt_head h set seq = n.seq, payload_hash = n.payload_hash
      from json_to_recordset(heads) n (stream text, seq bigint, payload_hash bytea)
      where h.tenant_id = me and h.stream = n.stream;
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
