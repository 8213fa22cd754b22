-- Claims the most urgent, then oldest, item that is ready, in one statement; no row when there is none. An item whose
-- lease is over counts as ready: it is locked and returned as it is, with the state ready, and the caller ends that
-- lease and claims the item by its id. Items that others have locked are passed over; only when nothing else is left
-- are they waited for, since whoever has one need not be claiming it. Projects in which a claim needs an approval are
-- left out.
create or replace function svc_claim_next_work(me text, project text, wanted_labels text[], holder text, asked_by text, ttl int,
    new_lease text)
  returns setof work_item language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  declare
    item work_item;
    gated text[] := svc_projects_gating_claims(me);
  begin
    select n.* into item from svc_lock_next_work(me, project, wanted_labels, array[holder], '{}', 1) n;
    if item.work_id is null then
      begin
        set local lock_timeout = '2s';
        select w.* into item from work_item w
          where w.tenant_id = me and (project is null or w.project_id = project) and w.open_blockers = 0
            and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
            and (w.state = 'ready' and coalesce(w.assignee_passport, holder) = holder or w.lease_expires_at <= clock_timestamp())
            and w.labels @> wanted_labels and w.project_id <> all(gated)
          order by w.tenant_id, w.priority, w.created_at, w.work_id limit 1 for no key update;
        set local lock_timeout = 0;
      exception when lock_not_available then
        return;
      end;
    end if;
    if item.work_id is null then
      return;
    elsif item.state = 'ready' then
      return query select * from svc_claim_work(me, item.work_id, holder, asked_by, ttl, new_lease);
    else
      item.state := 'ready';
      return next item;
    end if;
  end $$;
