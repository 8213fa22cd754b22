-- One round trip: the version, what is counted of its kind, and the event. Writers of one entity wait for each other at
-- its row, so versions have no gaps.
create or replace function svc_store_entity(me text, of_kind text, of_id text, content json, actor text, event uuid)
  returns setof graph_entity
  language plpgsql as $$
  declare
    head graph_entity;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into graph_entity as e (tenant_id, kind, id, created_at, updated_at) values (me, of_kind, of_id, clock_timestamp(), clock_timestamp())
      on conflict (tenant_id, kind, id) do update set version = e.version + 1, is_deleted = false, updated_at = clock_timestamp(),
        live_since = case when e.is_deleted then e.version + 1 else e.live_since end
      returning * into head;
    insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
      values (me, of_kind, of_id, head.version, content, false, actor, head.updated_at);
    if head.live_since = head.version then
      perform svc_count_kind(me, of_kind, 'entity', 1);
    end if;
    perform svc_tell_entity(head, 'entity.stored', actor, event);
    return next head;
  end $$;
