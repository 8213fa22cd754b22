-- Sets facts aside. With the last record of a chain all others of it that are not deleted go, as with its deletion: a
-- value of before does not come back as the current one. Answers the records that were not set aside before.
create or replace function svc_quarantine_facts(me text, wanted uuid[]) returns uuid[]
  language plpgsql set enable_seqscan = off as $$
  declare
    chains bytea[];
    head fact_head;
    is_last boolean;
    gone uuid[];
    all_gone uuid[] := '{}';
  begin
    perform svc_enter_facts(me);
    select array_agg(distinct f.chain order by f.chain) into chains
      from unnest(wanted) w(fact_id) join fact f on f.tenant_id = me and f.fact_id = w.fact_id and f.deleted_at is null and not f.tombstone;
    -- In the order in which writers take them.
    for head in select h.* from unnest(chains) with ordinality c(chain, place)
      join fact_head h on h.tenant_id = me and h.chain = c.chain order by c.place for no key update of h
    loop
      is_last := exists (select from fact f where f.tenant_id = me and f.seq = head.seq and f.fact_id = any (wanted));
      with withheld as (
        update fact f set quarantined = true, deleted_at = '-infinity'
        where f.tenant_id = me and f.chain = head.chain and f.deleted_at is null and not f.tombstone
          and (is_last or f.fact_id = any (wanted))
        returning f.fact_id
      )
      select coalesce(array_agg(w.fact_id), '{}') into gone from withheld w;
      if cardinality(gone) > 0 then
        update fact_head h set records = h.records - cardinality(gone) where h.tenant_id = me and h.chain = head.chain;
        perform svc_count_facts(me, '', head.visibility, -cardinality(gone), -is_last::int);
        if head.owner <> '' then
          perform svc_count_facts(me, head.owner, head.visibility, -cardinality(gone), -is_last::int);
        end if;
        all_gone := all_gone || gone;
      end if;
    end loop;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, gen_random_uuid(), 'fact.quarantined', f.fact_id, case f.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.fact_id = any (all_gone) order by f.seq;
    return all_gone;
  end $$;
