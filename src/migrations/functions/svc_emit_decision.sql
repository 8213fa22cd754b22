-- No decision without its event: the database itself writes it, in the same transaction and without another round trip.
create or replace function svc_emit_decision() returns trigger language plpgsql as $$
  begin
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (new.tenant_id, new.decision_id, 'shield.decision', new.decision_id,
      jsonb_build_object('decisionId', new.decision_id, 'principal', new.principal, 'action', new.action, 'serverId', new.server_id,
        'toolDigest', new.tool_digest, 'argumentsDigest', 'sha256:' || encode(new.arguments_digest, 'hex'), 'outcome', new.outcome,
        'rule', new.rule, 'denial', case when new.outcome = 'deny' then jsonb_build_object('type', new.denial_type, 'reason', new.reason) end,
        'policyVersion', new.policy_version, 'approvalRequestId', new.approval_request_id, 'sampled', new.sampled_by <> '{}'));
    return null;
  end $$;
