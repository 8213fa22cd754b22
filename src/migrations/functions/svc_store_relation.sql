-- created_at stays what it was at first, updated_at is never before it. Times that are not given are now.
create or replace function svc_store_relation(me text, source bigint, target bigint, of_type text, how_sure real,
  created bigint, updated bigint, actor text, event uuid) returns setof relation
  language plpgsql as $$
  declare
    stored relation;
    this_moment bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into relation as r (tenant_id, from_id, to_id, edge_type, confidence, created_at_micros, updated_at_micros)
      values (me, source, target, of_type, how_sure, coalesce(created, least(this_moment, updated)),
        coalesce(updated, greatest(this_moment, created)))
      on conflict (tenant_id, from_id, edge_type, to_id) do update set confidence = excluded.confidence,
        updated_at_micros = greatest(excluded.updated_at_micros, r.created_at_micros)
      returning * into stored;
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (me, event, 'relation.stored', source || ' ' || of_type || ' ' || target,
      jsonb_build_object('from_id', source, 'to_id', target, 'edge_type', of_type, 'confidence', how_sure, 'actor', actor));
    return next stored;
  end $$;
