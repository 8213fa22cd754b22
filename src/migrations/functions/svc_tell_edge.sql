create or replace function svc_tell_edge(head graph_edge, what text, event uuid) returns void language sql as $$
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (head.tenant_id, event, what,
      head.from_kind || '/' || head.from_id || ' ' || head.edge_kind || ' ' || head.to_kind || '/' || head.to_id,
      jsonb_build_object('from_kind', head.from_kind, 'from_id', head.from_id, 'edge_kind', head.edge_kind, 'to_kind', head.to_kind,
        'to_id', head.to_id, 'version', head.version, 'actor', head.updated_by))
  $$;
