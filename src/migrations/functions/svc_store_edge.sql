create or replace function svc_store_edge(me text, source_kind text, source_id text, of_kind text, target_kind text,
  target_id text, content json, actor text, event uuid) returns setof graph_edge
  language plpgsql as $$
  declare
    head graph_edge;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into graph_edge as e (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id, payload, created_at, updated_at, updated_by)
      values (me, source_kind, source_id, of_kind, target_kind, target_id, content, clock_timestamp(), clock_timestamp(), actor)
      on conflict (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id) do update set payload = excluded.payload, version = e.version + 1,
        is_deleted = false, updated_at = clock_timestamp(), updated_by = excluded.updated_by,
        live_since = case when e.is_deleted then e.version + 1 else e.live_since end
      returning * into head;
    if head.live_since = head.version then
      -- In one order, so that two writers never wait for each other.
      insert into graph_kind (tenant_id, kind, used_by, slot, live)
        select distinct me, k.kind, 'endpoint', 0, 0 from unnest(array[source_kind, target_kind]) as k(kind) order by k.kind on conflict do nothing;
      perform svc_count_kind(me, of_kind, 'edge', 1);
    end if;
    perform svc_tell_edge(head, 'edge.stored', event);
    return next head;
  end $$;
