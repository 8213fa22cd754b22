-- Removes records of facts that nobody reads any more: of deleted chains, and with keep_days versions that were retired
-- so many days ago; at most so many. What a legal hold pins stays, and so does a chain of which a record is quarantined.
-- Head and tombstone of a chain stay, so that its versions go on counting; the head counts those that went. The leaves of
-- what went are named by erased_fact under by_compaction, to be announced by a receipt in the same transaction.
create or replace function svc_compact_facts(me text, by_compaction uuid, keep_days int, most int)
  returns table (deleted int, retired int, held int, more boolean)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    nobody constant uuid := '00000000-0000-0000-0000-000000000000';
    seqs bigint[];
    one record;
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    perform set_config('svc.erased_tenant', me, true);
    perform svc_enter_facts(me);
    -- Once whoever writes to these chains now has ended, they stay as they are seen: heads are taken in the order of all.
    perform from fact_head h where h.tenant_id = me and h.chain in (
        select f.chain from fact f where f.tenant_id = me and not f.tombstone
          and (f.deleted_at is not null or f.superseded_at < now() - make_interval(days => keep_days)))
      order by h.chain for update;
    create temporary table compact_row on commit drop as
      select f.seq, f.chain, f.receipt_id, f.leaf_index, f.deleted_at is not null as is_deleted,
        svc_holds_on(me, f.entity) <> '{}' as is_held
      from fact f where f.tenant_id = me and not f.tombstone
        and (f.deleted_at is not null or f.superseded_at < now() - make_interval(days => keep_days))
        and not exists (select from fact q where q.tenant_id = me and q.chain = f.chain and q.quarantined);
    seqs := array(select c.seq from compact_row c where not c.is_held order by c.seq limit most);
    select count(*) filter (where c.is_deleted and c.seq = any(seqs)), count(*) filter (where not c.is_deleted and c.seq = any(seqs)),
        count(*) filter (where c.is_held), count(*) filter (where not c.is_held) > cardinality(seqs)
      into deleted, retired, held, more from compact_row c;
    delete from compact_row c where c.seq <> all(seqs);
    -- Records of a deleted chain are not counted any more.
    for one in
      select h.chain, h.owner, h.visibility, count(*)::int as records from compact_row c join fact_head h on h.tenant_id = me and h.chain = c.chain
        where not c.is_deleted group by 1, 2, 3 order by 1
    loop
      update fact_head h set records = h.records - one.records where h.tenant_id = me and h.chain = one.chain;
      perform svc_count_facts(me, '', one.visibility, -one.records, 0);
      if one.owner <> '' then
        perform svc_count_facts(me, one.owner, one.visibility, -one.records, 0);
      end if;
    end loop;
    update fact_head h set compacted = h.compacted + c.records
      from (select r.chain, count(*)::int as records from compact_row r group by 1) c where h.tenant_id = me and h.chain = c.chain;
    insert into erased_fact (tenant_id, receipt_id, leaf_index, erasure_id)
      select me, c.receipt_id, c.leaf_index, by_compaction from compact_row c where c.receipt_id is not null;
    update fact_batch b set facts = array(select case when e.leaf_index is null then u.id else nobody end
        from unnest(b.facts) with ordinality u (id, place)
        left join erased_fact e on e.tenant_id = me and e.receipt_id = b.receipt_id and e.leaf_index = u.place - 1 order by u.place)
      where b.tenant_id = me and b.receipt_id in (select c.receipt_id from compact_row c);
    delete from fact f using compact_row c where f.tenant_id = me and f.seq = c.seq;
    if cardinality(seqs) > 0 then
      -- Segments hold words of what went: all are made again, of what is left.
      delete from fact_segment s where s.tenant_id = me;
      update fact_index i set generation = i.generation + 1, sealed_seq = 0 where i.tenant_id = me;
    end if;
    drop table compact_row;
    return next;
  end $$;
