-- Writes what leases changed of work items that are locked. Each move: work_id, version, from_state, to_state, passport,
-- principal and subject of who moves, why, assignee, fence, receipt_id; begins, where the lease begins with it; ends, where
-- it ends, with the status that it then has: what was in progress is ready again, and nobody's; comment_id and comment,
-- where something is said of it. A transition where the state is another.
-- Returns the items whose lease ended, as they are then. Leases and items are changed one by one: a plan for all of them
-- that was made while a tenant had few would read every one once it has many.
create or replace function svc_record_moves(me text, moves json) returns setof work_item
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
    move record;
  begin
    for move in
      select * from json_to_recordset(moves) m (work_id text, version int, from_state text, to_state text, passport text, principal text, subject text,
        why text, assignee text, fence bigint, receipt_id uuid, begins boolean, ends text, comment_id uuid, comment text)
    loop
      if move.begins then
        update lease l set receipt_acquire = move.receipt_id where l.tenant_id = me and l.fence = move.fence;
      end if;
      if move.ends is not null then
        update lease l set status = move.ends, ended_at = clock, receipt_end = move.receipt_id
          where l.tenant_id = me and l.fence = move.fence and l.status = 'held';
      end if;
      if move.comment_id is not null then
        insert into work_comment (tenant_id, work_id, comment_id, author_passport, body, receipt_id)
          values (me, move.work_id, move.comment_id, move.passport, move.comment, move.receipt_id);
      end if;
      if move.from_state <> move.to_state then
        insert into work_transition (tenant_id, work_id, version, from_state, to_state, passport, principal, subject, why, assignee_passport, fence,
            receipt_id, changed_at)
          values (me, move.work_id, move.version, move.from_state, move.to_state, move.passport, move.principal, move.subject, move.why, move.assignee,
            move.fence, move.receipt_id, clock);
      end if;
      if move.ends is not null then
        return query update work_item w set lease_fence = null, lease_holder = null, lease_expires_at = null, updated_at = clock,
            version = move.version, state = move.to_state,
            assignee_passport = case when w.state = 'in_progress' then null else w.assignee_passport end
          where w.tenant_id = me and w.work_id = move.work_id returning w.*;
      end if;
    end loop;
  end $$;
