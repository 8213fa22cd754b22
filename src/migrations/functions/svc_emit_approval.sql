create or replace function svc_emit_approval() returns trigger language plpgsql as $$
  begin
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (new.tenant_id, gen_random_uuid(),
      'shield.approval_' || case new.state when 'pending' then 'requested' else new.state end, new.approval_request_id,
      jsonb_build_object('approvalRequestId', new.approval_request_id, 'status', new.state, 'principal', new.principal, 'action', new.action,
        'argumentsDigest', 'sha256:' || encode(new.arguments_digest, 'hex'), 'policyVersion', new.policy_version, 'expiresAt', new.expires_at,
        'resolvedBy', new.resolved_by, 'reason', coalesce(new.end_reason, new.resolution_reason, new.reason)));
    return null;
  end $$;
