-- Ends the quarantine of records and of those that went with them: each is again what the records after it in its chain
-- make of it, current, superseded or deleted. What is kept stays aside, and all of a chain whose last record is kept.
-- Answers how many are there again.
create or replace function svc_release_facts(me text, wanted uuid[], kept uuid[]) returns int
  language plpgsql set enable_seqscan = off as $$
  declare
    head fact_head;
    back int;
    is_last boolean;
    total int := 0;
    seqs bigint[];
    all_back bigint[] := '{}';
  begin
    perform svc_enter_facts(me);
    for head in select h.* from fact_head h where h.tenant_id = me and h.chain in (
        select f.chain from unnest(wanted) w(fact_id) join fact f on f.tenant_id = me and f.fact_id = w.fact_id and f.quarantined)
      order by h.chain for no key update
    loop
      continue when exists (select from fact f where f.tenant_id = me and f.seq = head.seq and f.quarantined and f.fact_id = any (kept));
      with released as (
        update fact f set quarantined = false, deleted_at = s.ended_at,
          superseded_by = coalesce(f.superseded_by, s.next_id), superseded_at = coalesce(f.superseded_at, s.next_at),
          ends_at = least(f.ends_at, case when f.superseded_by is null then s.next_begins end, s.ended_at)
        from (
          select q.seq, n.fact_id as next_id, n.stored_at as next_at, coalesce(n.valid_from, n.stored_at) as next_begins, (
              select t.stored_at from fact t where t.tenant_id = me and t.chain = head.chain and t.version > q.version and t.tombstone
              order by t.version limit 1) as ended_at
          from fact q left join fact n on n.tenant_id = me and n.chain = head.chain and n.version = q.version + 1
          where q.tenant_id = me and q.chain = head.chain and q.quarantined and q.fact_id <> all (kept)
        ) s
        where f.tenant_id = me and f.seq = s.seq
        returning f.seq, f.deleted_at
      )
      select count(*) filter (where r.deleted_at is null), coalesce(bool_or(r.seq = head.seq), false),
          coalesce(array_agg(r.seq) filter (where r.deleted_at is null), '{}')
        into back, is_last, seqs from released r;
      if back > 0 then
        update fact_head h set records = h.records + back where h.tenant_id = me and h.chain = head.chain;
        perform svc_count_facts(me, '', head.visibility, back, is_last::int);
        if head.owner <> '' then
          perform svc_count_facts(me, head.owner, head.visibility, back, is_last::int);
        end if;
        total := total + back;
        all_back := all_back || seqs;
      end if;
    end loop;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, gen_random_uuid(), 'fact.released', f.fact_id, case f.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.seq = any (all_back) order by f.seq;
    return total;
  end $$;
