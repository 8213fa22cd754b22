import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Claims of the next item for several callers in one statement, and what records of changes are written by in one: their
 * plans are kept by the connection.
 */
export class ClaimTogether1795504000000 implements MigrationInterface {
  name = 'ClaimTogether1795504000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LOCK_NEXT_WORK);
    await runner.query(CLAIM_NEXT_WORKS);
    await runner.query(RECORD_MOVES);
    await runner.query(APPEND_RECEIPTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_append_receipts(text, json, json, json);
      drop function svc_record_moves(text, json);
      drop function svc_claim_next_works(text, json);
      drop function svc_lock_next_work(text, text, text[], text[], text[], int);
    `);
  }
}

/** As they were made first; functions/ has them as they are. */
const LOCK_NEXT_WORK = `
  create function svc_lock_next_work(me text, project text, wanted_labels text[], holders text[], taken text[],
      at_most int)
    returns setof work_item language plpgsql
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
    begin
      if project is null then
        return query select w.* from work_item w
          where w.tenant_id = me and w.open_blockers = 0
            and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
            and (w.state = 'ready' and (w.assignee_passport is null or w.assignee_passport = any(holders))
              or w.lease_expires_at <= clock_timestamp())
            and w.labels @> wanted_labels and w.work_id <> all(taken)
          order by w.tenant_id, w.priority, w.created_at, w.work_id limit at_most for no key update skip locked;
      else
        return query select w.* from work_item w
          where w.tenant_id = me and w.project_id = project and w.open_blockers = 0
            and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
            and (w.state = 'ready' and (w.assignee_passport is null or w.assignee_passport = any(holders))
              or w.lease_expires_at <= clock_timestamp())
            and w.labels @> wanted_labels and w.work_id <> all(taken)
          order by w.tenant_id, w.project_id, w.priority, w.created_at, w.work_id limit at_most for no key update skip locked;
      end if;
    end $$;
`;

const CLAIM_NEXT_WORKS = `
  create function svc_claim_next_works(me text, wanted json)
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
            and w.labels @> one.labels);
        item := null;
        return next;
      end loop;
    end $$;
`;

const RECORD_MOVES = `
  create function svc_record_moves(me text, moves json) returns setof work_item
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
`;

const APPEND_RECEIPTS = `
  create function svc_append_receipts(me text, receipts json, heads json, events json) returns void
    language plpgsql set enable_seqscan = off as $$
    begin
      if json_array_length(events) > 0 then
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
          select me, e.event_id, e.kind, e.subject, e.data
          from rows from (json_to_recordset(events) as (event_id uuid, kind text, subject text, data jsonb)) with ordinality
            as e(event_id, kind, subject, data, place) order by e.place;
      end if;
      update receipt_head h set seq = n.seq, payload_hash = n.payload_hash
        from json_to_recordset(heads) n (stream text, seq bigint, payload_hash bytea)
        where h.tenant_id = me and h.stream = n.stream;
      with r as materialized (
        select r.* from rows from (json_to_recordset(receipts)
          as (receipt_id uuid, stream text, seq bigint, prev_hash bytea, payload_hash bytea, kind text, actor text, subject text,
            occurred_at timestamptz, cose bytea, digest bytea, session text)) with ordinality
          as r(receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, digest, session, place)
      ), logged as (
        insert into log_pending (record_type, record_digest) select 'execution', digest from r order by place
      )
      insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
        select me, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session from r order by place;
    end $$;
`;
