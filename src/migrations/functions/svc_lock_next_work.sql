-- Locks the most urgent, then oldest, items that are ready for one of the holders, at most so many, in that order; those
-- that others have locked are passed over, and those that are taken already. An item whose lease is over counts as ready.
-- Projects in which a claim needs an approval are left out.
create or replace function svc_lock_next_work(me text, project text, wanted_labels text[], holders text[], taken text[],
    at_most int)
  returns setof work_item language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  declare
    gated text[] := svc_projects_gating_claims(me);
  begin
    if project is null then
      return query select w.* from work_item w
        where w.tenant_id = me and w.open_blockers = 0
          and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
          and (w.state = 'ready' and (w.assignee_passport is null or w.assignee_passport = any(holders))
            or w.lease_expires_at <= clock_timestamp())
          and w.labels @> wanted_labels and w.work_id <> all(taken) and w.project_id <> all(gated)
        order by w.tenant_id, w.priority, w.created_at, w.work_id limit at_most for no key update skip locked;
    else
      return query select w.* from work_item w
        where w.tenant_id = me and w.project_id = project and w.open_blockers = 0
          and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
          and (w.state = 'ready' and (w.assignee_passport is null or w.assignee_passport = any(holders))
            or w.lease_expires_at <= clock_timestamp())
          and w.labels @> wanted_labels and w.work_id <> all(taken) and w.project_id <> all(gated)
        order by w.tenant_id, w.project_id, w.priority, w.created_at, w.work_id limit at_most for no key update skip locked;
    end if;
  end $$;
