-- Gives a work item to a holder under the next fence. The caller holds the item's row, and no lease of it is held any
-- more. The clock is read here, after whatever was waited for; to the millisecond, as answers have it.
create or replace function svc_claim_work(me text, wanted text, holder text, asked_by text, ttl int, new_lease text)
  returns setof work_item language plpgsql set enable_seqscan = off as $$
  declare
    began timestamptz := date_trunc('milliseconds', clock_timestamp());
    ends timestamptz := began + make_interval(secs => ttl);
    drawn bigint := nextval('lease_fence');
  begin
    insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
      values (me, drawn, 'work', wanted, new_lease, 'write', holder, asked_by, began, began, ends);
    return query update work_item w set state = 'in_progress', assignee_passport = holder, version = w.version + 1, updated_at = began,
        lease_fence = drawn, lease_holder = holder, lease_expires_at = ends
      where w.tenant_id = me and w.work_id = wanted returning w.*;
  end $$;
