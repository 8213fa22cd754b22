-- A principal that ended has nothing pending, no token left, and nothing it granted is used any more.
create or replace function svc_end_approvals() returns trigger language plpgsql as $$
  begin
    update shield_approval set state = 'void', ended_at = now(), end_reason = 'The principal that asked has ended: ' || new.reason
      where tenant_id = new.tenant_id and principal = new.principal and state in ('pending', 'approved');
    update shield_approval set state = 'void', ended_at = now(), end_reason = 'The principal that approved has ended: ' || new.reason
      where tenant_id = new.tenant_id and resolved_by = new.principal and state = 'approved';
    update shield_ui_session set state = 'ended', closed_at = now()
      where tenant_id = new.tenant_id and principal = new.principal and state = 'open';
    return null;
  end $$;
