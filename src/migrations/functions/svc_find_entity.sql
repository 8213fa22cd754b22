create or replace function svc_find_entity(me text, of_kind text, of_id text)
  returns table (kind text, id text, version int, payload json, is_deleted boolean, created_at timestamptz,
    updated_at timestamptz, updated_by text)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select e.kind, e.id, e.version, v.payload, e.is_deleted, e.created_at, e.updated_at, v.stored_by
      from graph_entity e join graph_entity_version v using (tenant_id, kind, id, version)
      where e.tenant_id = me and e.kind = of_kind and e.id = of_id;
  end $$;
