-- Adds the receipt of a batch of facts, with the batch's leaves. It was signed for a place in its stream and for a time:
-- both are checked here, under the lock of the stream's head, and what does not fit ends in SF001, whose detail says
-- what would: the head (seq, payload_hash), or the time (at, in milliseconds).
-- Its callers have rows found by their keys.
create or replace function svc_add_fact_batch(me text, batch json) returns void
  language plpgsql as $$
  declare
    clock timestamptz := clock_timestamp();
    last receipt_head;
  begin
    with b as materialized (
      select * from json_to_record(batch) r (stream text, seq bigint, prev bytea, receipt_id uuid, payload_hash bytea, actor text,
        session text, occurred_at timestamptz, cose bytea, digest bytea, facts uuid[], leaves bytea)
    ), moved as (
      update receipt_head h set seq = b.seq, payload_hash = b.payload_hash from b
      where h.tenant_id = me and h.stream = b.stream and h.seq = b.seq - 1 and h.payload_hash is not distinct from b.prev
      returning h.seq
    ), begun as (
      insert into receipt_head (tenant_id, stream, seq, payload_hash)
      select me, b.stream, 1, b.payload_hash from b where b.seq = 1 on conflict do nothing returning seq
    ), fitting as (
      -- No fact is stored at a time before which an export has said that none is missing.
      select b.* from b left join fact_settled s on s.tenant_id = me
      where (exists (select from moved) or exists (select from begun))
        and b.occurred_at between greatest(clock - interval '60 seconds', s.settled_at) and greatest(clock + interval '1 second', s.settled_at)
    ), logged as (
      insert into log_pending (record_type, record_digest) select 'execution', digest from fitting
    ), kept as (
      insert into fact_batch (tenant_id, receipt_id, facts, leaves) select me, receipt_id, facts, leaves from fitting
    )
    insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
      select me, receipt_id, stream, seq, prev, payload_hash, 'fact.batch', actor, 'facts', occurred_at, cose, session from fitting;
    if found then
      return;
    end if;
    select * into last from receipt_head h where h.tenant_id = me and h.stream = batch ->> 'stream';
    if last.payload_hash is not distinct from (batch ->> 'payload_hash')::bytea then
      raise exception 'the time is another' using errcode = 'SF001', detail = json_build_object('at', floor(extract(epoch from
        greatest(clock, (select s.settled_at from fact_settled s where s.tenant_id = me))) * 1000));
    end if;
    raise exception 'the stream goes on elsewhere' using errcode = 'SF001',
      detail = json_build_object('seq', coalesce(last.seq, 0), 'payload_hash', encode(last.payload_hash, 'hex'));
  end $$;
