create or replace function svc_delete_edge(me text, source_kind text, source_id text, of_kind text, target_kind text,
  target_id text, actor text, event uuid) returns setof graph_edge
  language plpgsql as $$
  declare
    head graph_edge;
  begin
    perform set_config('svc.tenant_id', me, true);
    update graph_edge e set version = e.version + 1, is_deleted = true, updated_at = clock_timestamp(), updated_by = actor
      where e.tenant_id = me and e.from_kind = source_kind and e.from_id = source_id and e.edge_kind = of_kind and e.to_kind = target_kind
        and e.to_id = target_id and not e.is_deleted returning * into head;
    if not found then
      return;
    end if;
    perform svc_count_kind(me, of_kind, 'edge', -1);
    perform svc_tell_edge(head, 'edge.deleted', event);
    return next head;
  end $$;
