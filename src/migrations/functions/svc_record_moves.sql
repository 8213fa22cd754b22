-- Writes what leases changed of work items that are locked, in one statement. Each move: work_id, version, from_state,
-- to_state, passport, principal, why, assignee, fence, receipt_id; begins, where the lease begins with it; ends, where it
-- ends, with the status that it then has: what was in progress is ready again, and nobody's; comment_id and comment, where
-- something is said of it. A transition where the state is another.
-- Returns the items whose lease ended, as they are then.
create or replace function svc_record_moves(me text, moves json) returns setof work_item
  language plpgsql set enable_seqscan = off as $$
  declare
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  begin
    return query with move as materialized (
      select * from json_to_recordset(moves) m (work_id text, version int, from_state text, to_state text, passport text,
        principal text, why text, assignee text, fence bigint, receipt_id uuid, begins boolean, ends text, comment_id uuid, comment text)
    ), begun as (
      update lease l set receipt_acquire = m.receipt_id from move m where m.begins and l.tenant_id = me and l.fence = m.fence
    ), ended as (
      update lease l set status = m.ends, ended_at = clock, receipt_end = m.receipt_id from move m
      where m.ends is not null and l.tenant_id = me and l.fence = m.fence and l.status = 'held'
    ), said as (
      insert into work_comment (tenant_id, work_id, comment_id, author_passport, body, receipt_id)
      select me, m.work_id, m.comment_id, m.passport, m.comment, m.receipt_id from move m where m.comment_id is not null
    ), moved as (
      insert into work_transition (tenant_id, work_id, version, from_state, to_state, passport, principal, why, assignee_passport, fence,
        receipt_id, changed_at)
      select me, m.work_id, m.version, m.from_state, m.to_state, m.passport, m.principal, m.why, m.assignee, m.fence, m.receipt_id, clock
      from move m where m.from_state <> m.to_state
    )
    update work_item w set lease_fence = null, lease_holder = null, lease_expires_at = null, updated_at = clock, version = m.version,
      state = m.to_state, assignee_passport = case when w.state = 'in_progress' then null else w.assignee_passport end
    from move m where m.ends is not null and w.tenant_id = me and w.work_id = m.work_id
    returning w.*;
  end $$;
