create or replace function svc_count_kind(me text, of_kind text, role text, added int) returns void language sql as $$
    insert into graph_kind as k (tenant_id, kind, used_by, slot, live) values (me, of_kind, role, pg_backend_pid() % 16, added)
      on conflict (tenant_id, kind, used_by, slot) do update set live = k.live + excluded.live
  $$;
