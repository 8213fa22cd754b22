-- What a passport holds, asked for or may decide on is over with the passport: for all who read it at once, and the
-- sweeps record each end with its receipt. Gates before items, items before leases, as whoever decides or claims locks.
create or replace function svc_end_held() returns trigger language plpgsql as $$
  declare
    ended text := substr(new.principal, 10);
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  begin
    update work_gate set expires_at = least(expires_at, clock), reason = 'The passport that asked has been revoked'
      where tenant_id = new.tenant_id and status = 'pending' and (requested_passport = ended or requested_principal = new.principal);
    update work_gate set may_decide = array_remove(array_remove(may_decide, ended), new.principal)
      where tenant_id = new.tenant_id and status = 'pending' and may_decide && array[ended, new.principal];
    update work_gate set expires_at = least(expires_at, clock), reason = 'The only passport that may decide has been revoked'
      where tenant_id = new.tenant_id and status = 'pending' and may_decide = '{}';
    update work_item w set lease_expires_at = least(w.lease_expires_at, clock) from lease l
      where l.tenant_id = new.tenant_id and l.kind = 'work' and l.status = 'held' and (l.holder_passport = ended or l.held_by = ended)
        and w.tenant_id = l.tenant_id and w.work_id = l.subject and w.lease_fence = l.fence;
    update lease set expires_at = least(expires_at, clock)
      where tenant_id = new.tenant_id and status = 'held' and (holder_passport = ended or held_by = ended);
    update coord_intent set expires_at = least(expires_at, clock)
      where tenant_id = new.tenant_id and (by_passport = ended or announced_by = new.principal);
    return null;
  end $$;
