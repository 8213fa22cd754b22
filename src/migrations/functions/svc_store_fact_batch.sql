-- Stores facts with their receipt in one transaction. rounds: a list of lists, each without two facts of one chain, so
-- that a chain takes its facts in their order. Each fact: its place among all from 1 (its leaf has that number less
-- one), fact_id, owner, visibility, entity, key, version, value, actor, actor_claimed, written_by, confidence,
-- horizon_class, tokens, and where set tenant_hash, source_receipt, sources_digest, valid_from, valid_to, expected.
-- batch: the receipt, as svc_add_fact_batch takes it; the facts are stored at its time; where facts have sources, they
-- are its member sources. A version that another writer has taken ends in SF001, whose detail names the versions that
-- are free by the places, and a time that is not before that of their chains. Where not the expected fact is current,
-- it ends in SF002, whose detail lists the facts that did not get what they expected.
-- Returns what was superseded, with the first 200 characters of its value.
-- Rows are found by their keys alone: a plan made while the tables were small must not read them whole when they have
-- grown.
create or replace function svc_store_fact_batch(me text, rounds json, batch json)
  returns table (by_place int, replaced_id uuid, beginning text, is_cut boolean, replaced_version int, replaced_at timestamptz)
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    round json;
    batch_id uuid := batch ->> 'receipt_id';
    began timestamptz := batch ->> 'occurred_at';
    drawn bigint[];
    ids uuid[];
    places int[];
    asked int[];
    versions int[];
    latest timestamptz;
    starts timestamptz[];
    owners text[];
    visibilities smallint[];
    retired bigint[];
    wanted uuid[];
    actors text[];
    claims boolean[];
    missed json;
    moved record;
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    -- Seqs in the order of the facts: a list that is stored at once is listed in its order.
    if json_array_length(rounds) > 1 then
      drawn := array(select nextval('fact_seq') from json_array_elements(rounds) r cross join json_array_elements(r));
    end if;
    for round in select r from json_array_elements(rounds) r loop
      -- Heads are taken in the order of their chains: two batches never wait for each other.
      with incoming as materialized (
        select i.*, svc_fact_chain(i.owner, i.entity, i.key) as chain, coalesce(drawn[i.place], nextval('fact_seq')) as drawn_seq
        from json_to_recordset(round) i (place int, fact_id uuid, owner text, visibility smallint, entity text, key text, version int,
          value text, actor text, actor_claimed boolean, written_by text, confidence real, horizon_class text, tokens int, tenant_hash text,
          source_receipt text, sources_digest text, valid_from timestamptz, valid_to timestamptz, expected uuid)
      ), head as (
        insert into fact_head as h (tenant_id, chain, owner, visibility, entity, version, seq, stored_at, records)
        select me, i.chain, i.owner, i.visibility, i.entity, 1, i.drawn_seq, began, 1
        from (select * from incoming order by chain) i
        -- Another writer may have been waited for, and have drawn a later seq.
        on conflict (tenant_id, chain) do update set version = h.version + 1, records = h.records + 1,
          seq = case when h.seq < excluded.seq then excluded.seq else nextval('fact_seq') end,
          supersedes = case when h.records > 0 then h.seq end, stored_at = greatest(h.stored_at, excluded.stored_at)
        returning chain, version, seq, stored_at, supersedes
      ), placed as materialized (
        select i.*, h.version as stored_version, h.seq, h.stored_at, h.supersedes from incoming i join head h using (chain)
      ), stored as (
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, actor_claimed, written_by,
          confidence, horizon_class, tokens, tenant_hash, source_receipt, stored_at, valid_from, valid_to, ends_at, supersedes, receipt_id,
          leaf_index, sources_digest)
        select me, p.seq, p.fact_id, p.chain, p.stored_version, p.visibility, p.owner, p.entity, p.key, p.value, p.actor, p.actor_claimed,
          p.written_by, p.confidence, p.horizon_class, p.tokens, p.tenant_hash, p.source_receipt, p.stored_at, p.valid_from, p.valid_to,
          p.valid_to, p.supersedes, batch_id, p.place - 1, p.sources_digest
        from placed p
      ), reported as (
        -- Of a private fact nothing but that it is there.
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, p.fact_id, 'fact.stored', p.fact_id, case p.visibility
          when 0 then jsonb_build_object('fact_id', p.fact_id, 'entity', p.entity, 'key', p.key, 'version', p.stored_version, 'actor', p.actor)
          else jsonb_build_object('fact_id', p.fact_id, 'private', true) end
        from placed p order by p.seq
      )
      select array_agg(p.fact_id), array_agg(p.place), array_agg(p.version), array_agg(p.stored_version), max(p.stored_at),
          array_agg(coalesce(p.valid_from, p.stored_at)), array_agg(p.owner), array_agg(p.visibility), array_agg(p.supersedes),
          array_agg(p.expected), array_agg(p.actor), array_agg(p.actor_claimed)
        into ids, places, asked, versions, latest, starts, owners, visibilities, retired, wanted, actors, claims
        from placed p;

      if array_remove(wanted, null) <> '{}' then
        select json_agg(n.fact_id) into missed from unnest(ids, wanted, retired) n (fact_id, expected, seq)
          left join fact f on f.tenant_id = me and f.seq = n.seq
          where n.expected is not null and f.fact_id is distinct from n.expected;
        if missed is not null then
          raise exception 'not the expected fact is current' using errcode = 'SF002', detail = missed;
        end if;
      end if;
      if asked <> versions or latest > began then
        raise exception 'another writer was first' using errcode = 'SF001', detail = json_build_object(
          'at', case when latest > began then ceil(extract(epoch from latest) * 1000) end,
          'versions', (select json_object_agg(n.place, n.version) from unnest(places, versions) n (place, version)));
      end if;
      -- Statements of their own: they see what a writer that was waited for has committed.
      if array_remove(retired, null) <> '{}' then
        for moved in
          select n.* from unnest(retired, ids, starts, places) n (seq, fact_id, begins, place) where n.seq is not null order by n.seq
        loop
          update fact f set superseded_by = moved.fact_id, superseded_at = began, ends_at = least(f.ends_at, moved.begins)
            where f.tenant_id = me and f.seq = moved.seq
            returning moved.place, f.fact_id, left(f.value, 200), length(left(f.value, 201)) > 200, f.version, f.stored_at
            into by_place, replaced_id, beginning, is_cut, replaced_version, replaced_at;
          if found then return next; end if;
        end loop;
      end if;
      -- Into slots that no other transaction holds: counting makes nobody wait.
      insert into fact_actor as a (tenant_id, actor, actor_claimed, slot, records, last_at)
        select me, n.actor, n.claimed, coalesce((select c.slot from fact_actor c
            where c.tenant_id = me and c.actor = n.actor and c.actor_claimed = n.claimed limit 1 for update skip locked),
          (random() * 2147483647)::int), n.records, began
        from (select u.actor, u.claimed, count(*) as records from unnest(actors, claims, visibilities) u (actor, claimed, visibility)
          where u.visibility = 0 group by u.actor, u.claimed order by u.actor, u.claimed) n
        on conflict (tenant_id, actor, actor_claimed, slot)
        do update set records = a.records + excluded.records, last_at = greatest(a.last_at, excluded.last_at);
      if array_length(visibilities, 1) = array_length(array_positions(visibilities, 0::smallint), 1) then
        perform svc_count_facts(me, '', 0::smallint, cardinality(ids), coalesce(array_length(array_positions(retired, null), 1), 0));
      else
        for moved in
          select s.scope, n.visibility, count(*) as records, count(*) filter (where n.retired is null) as current
          from unnest(owners, visibilities, retired) n(owner, visibility, retired)
          cross join lateral unnest(case when n.owner = '' then array[''] else array['', n.owner] end) s(scope)
          group by s.scope, n.visibility
        loop
          perform svc_count_facts(me, moved.scope, moved.visibility, moved.records, moved.current);
        end loop;
      end if;
    end loop;
    if batch -> 'sources' is not null then
      insert into fact_source_ref (tenant_id, fact_id, position, kind, source_id, version, digest, owner_tenant_id, corpus_id, doc_id)
        select me, s.* from json_to_recordset(batch -> 'sources') s (fact_id uuid, position smallint, kind text, source_id text, version int,
          digest text, owner_tenant_id text, corpus_id text, doc_id text);
    end if;
  end $$;
