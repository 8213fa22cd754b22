create or replace function svc_tell_entity(head graph_entity, what text, actor text, event uuid) returns void
  language sql as $$
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (head.tenant_id, event, what, head.kind || '/' || head.id,
      jsonb_build_object('kind', head.kind, 'id', head.id, 'version', head.version, 'actor', actor))
  $$;
