-- rounds: a list of lists, each without one entity twice, so that an entity takes its versions in their order. Each
-- entity: kind, id, payload, event. Answers how many were stored.
create or replace function svc_store_entities(me text, rounds json, actor text) returns int language plpgsql as $$
  #variable_conflict use_column
  declare
    round json;
    heads graph_entity[];
    stored integer := 0;
    made record;
  begin
    perform set_config('svc.tenant_id', me, true);
    for round in select r from json_array_elements(rounds) r loop
      -- In one order, so that two writers of lists never wait for each other.
      with incoming as materialized (
        select e ->> 'kind' collate "C" as kind, e ->> 'id' collate "C" as id, e -> 'payload' as payload, (e ->> 'event')::uuid as event
        from json_array_elements(round) e
      ), head as (
        insert into graph_entity as g (tenant_id, kind, id, created_at, updated_at)
        select me, i.kind, i.id, clock_timestamp(), clock_timestamp() from (select * from incoming order by kind, id) i
        on conflict (tenant_id, kind, id) do update set version = g.version + 1, is_deleted = false, updated_at = clock_timestamp(),
          live_since = case when g.is_deleted then g.version + 1 else g.live_since end
        returning *
      ), version as (
        insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
        select me, i.kind, i.id, h.version, i.payload, false, actor, h.updated_at from incoming i join head h on h.kind = i.kind and h.id = i.id
      ), reported as (
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, i.event, 'entity.stored', i.kind || '/' || i.id,
          jsonb_build_object('kind', i.kind, 'id', i.id, 'version', h.version, 'actor', actor)
        from incoming i join head h on h.kind = i.kind and h.id = i.id
      )
      select array_agg(h::graph_entity) into heads from head h;
      stored := stored + cardinality(heads);
      for made in select h.kind, count(*)::integer as added from unnest(heads) h where h.live_since = h.version group by h.kind order by h.kind loop
        perform svc_count_kind(me, made.kind, 'entity', made.added);
      end loop;
    end loop;
    return stored;
  end $$;
