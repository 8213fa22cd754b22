-- svc_store_entities for edges. Each edge: from_kind, from_id, edge_kind, to_kind, to_id, payload, event.
create or replace function svc_store_edges(me text, rounds json, actor text) returns int language plpgsql as $$
  #variable_conflict use_column
  declare
    round json;
    heads graph_edge[];
    stored integer := 0;
    made record;
  begin
    perform set_config('svc.tenant_id', me, true);
    for round in select r from json_array_elements(rounds) r loop
      with incoming as materialized (
        select e ->> 'from_kind' collate "C" as from_kind, e ->> 'from_id' collate "C" as from_id, e ->> 'edge_kind' collate "C" as edge_kind,
          e ->> 'to_kind' collate "C" as to_kind, e ->> 'to_id' collate "C" as to_id, e -> 'payload' as payload, (e ->> 'event')::uuid as event
        from json_array_elements(round) e
      ), head as (
        insert into graph_edge as g (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id, payload, created_at, updated_at, updated_by)
        select me, i.from_kind, i.from_id, i.edge_kind, i.to_kind, i.to_id, i.payload, clock_timestamp(), clock_timestamp(), actor
        from (select * from incoming order by from_kind, from_id, edge_kind, to_kind, to_id) i
        on conflict (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id) do update set payload = excluded.payload, version = g.version + 1,
          is_deleted = false, updated_at = clock_timestamp(), updated_by = excluded.updated_by,
          live_since = case when g.is_deleted then g.version + 1 else g.live_since end
        returning *
      ), reported as (
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, i.event, 'edge.stored',
          i.from_kind || '/' || i.from_id || ' ' || i.edge_kind || ' ' || i.to_kind || '/' || i.to_id,
          jsonb_build_object('from_kind', i.from_kind, 'from_id', i.from_id, 'edge_kind', i.edge_kind, 'to_kind', i.to_kind, 'to_id', i.to_id,
            'version', h.version, 'actor', actor)
        from incoming i join head h
          on h.from_kind = i.from_kind and h.from_id = i.from_id and h.edge_kind = i.edge_kind and h.to_kind = i.to_kind and h.to_id = i.to_id
      )
      select array_agg(h::graph_edge) into heads from head h;
      stored := stored + cardinality(heads);
      insert into graph_kind (tenant_id, kind, used_by, slot, live)
        select distinct me, k.kind, 'endpoint', 0, 0 from unnest(heads) h cross join lateral (values (h.from_kind), (h.to_kind)) k(kind)
        where h.live_since = h.version order by k.kind on conflict do nothing;
      for made in select h.edge_kind, count(*)::integer as added from unnest(heads) h where h.live_since = h.version
          group by h.edge_kind order by h.edge_kind loop
        perform svc_count_kind(me, made.edge_kind, 'edge', made.added);
      end loop;
    end loop;
    return stored;
  end $$;
