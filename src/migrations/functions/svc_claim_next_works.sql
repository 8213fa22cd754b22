-- Claims for several callers in one statement, in their order; a row for each, by its place from 0. What each wants:
-- project (null for any), labels, holder, asked_by, ttl, lease_id. Nothing is waited for, since the items of all are held
-- meanwhile: where items that others have locked are all that is left, where a lease has to be ended first, or where what
-- is next is for another of the callers, is_deferred says that the caller has to ask by svc_claim_next_work. Without an
-- item and without that, nothing is ready. Projects in which a claim needs an approval are left out. The clock is read once the items are locked; to the millisecond, as answers
-- have it. Rows are found by their keys alone: a plan made while the tables were small must not read them whole when they
-- have grown.
create or replace function svc_claim_next_works(me text, wanted json)
  returns table (place int, is_deferred boolean, item work_item) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  set enable_hashjoin = off set enable_mergejoin = off as $$
  declare
    holders text[] := array(select w ->> 'holder' from json_array_elements(wanted) w);
    picked text[] := array_fill(null::text, array[cardinality(holders)]);
    put_off boolean[] := array_fill(false, array[cardinality(holders)]);
    alike record;
    one record;
    candidate work_item;
    n int;
    began timestamptz;
    gated text[] := svc_projects_gating_claims(me);
  begin
    for alike in
      select w.project, w.labels, array_agg(w.number::int order by w.number) as numbers, array_agg(w.holder) as holders
      from rows from (json_to_recordset(wanted) as (project text, labels text[], holder text)) with ordinality
        w (project, labels, holder, number)
      group by w.project, w.labels
    loop
      for candidate in
        -- What is picked for others is locked by this transaction itself, and so is not passed over.
        select l.* from svc_lock_next_work(me, alike.project, alike.labels, alike.holders, array_remove(picked, null),
          cardinality(alike.numbers)) l
      loop
        foreach n in array alike.numbers loop
          if picked[n] is null and not put_off[n]
              and (candidate.state <> 'ready' or coalesce(candidate.assignee_passport, holders[n]) = holders[n]) then
            if candidate.state = 'ready' then picked[n] := candidate.work_id; else put_off[n] := true; end if;
            exit;
          end if;
        end loop;
      end loop;
    end loop;

    began := date_trunc('milliseconds', clock_timestamp());
    return query with granted as materialized (
      select g.number::int - 1 as place, g.work_id, nextval('lease_fence') as fence, a.*,
        began + make_interval(secs => a.ttl) as ends
      from unnest(picked) with ordinality g (work_id, number)
      cross join lateral json_to_record(wanted -> (g.number::int - 1)) a (holder text, asked_by text, ttl int, lease_id text)
      where g.work_id is not null
    ), leased as (
      insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
      select me, g.fence, 'work', g.work_id, g.lease_id, 'write', g.holder, g.asked_by, began, began, g.ends from granted g
    )
    update work_item w set state = 'in_progress', assignee_passport = g.holder, version = w.version + 1, updated_at = began,
      lease_fence = g.fence, lease_holder = g.holder, lease_expires_at = g.ends
    from granted g where w.tenant_id = me and w.work_id = g.work_id
    returning g.place, false, w;

    for one in
      select w.* from rows from (json_to_recordset(wanted) as (project text, labels text[], holder text)) with ordinality
        w (project, labels, holder, number)
      where picked[w.number] is null
    loop
      place := one.number - 1;
      is_deferred := put_off[one.number] or exists (select from work_item w
        where w.tenant_id = me and (one.project is null or w.project_id = one.project) and w.open_blockers = 0
          and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
          and (w.state = 'ready' and coalesce(w.assignee_passport, one.holder) = one.holder or w.lease_expires_at <= clock_timestamp())
          and w.labels @> one.labels and w.project_id <> all(gated));
      item := null;
      return next;
    end loop;
  end $$;
