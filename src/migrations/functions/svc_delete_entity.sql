-- No row: there is no such entity, or none any more.
create or replace function svc_delete_entity(me text, of_kind text, of_id text, actor text, event uuid)
  returns setof graph_entity
  language plpgsql as $$
  declare
    head graph_entity;
  begin
    perform set_config('svc.tenant_id', me, true);
    update graph_entity e set version = e.version + 1, is_deleted = true, updated_at = clock_timestamp()
      where e.tenant_id = me and e.kind = of_kind and e.id = of_id and not e.is_deleted returning * into head;
    if not found then
      return;
    end if;
    insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
      select me, of_kind, of_id, head.version, v.payload, true, actor, head.updated_at from graph_entity_version v
      where v.tenant_id = me and v.kind = of_kind and v.id = of_id and v.version = head.version - 1;
    perform svc_count_kind(me, of_kind, 'entity', -1);
    perform svc_tell_entity(head, 'entity.deleted', actor, event);
    return next head;
  end $$;
