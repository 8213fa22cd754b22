-- Stores facts in one transaction. rounds: a list of lists, each without two facts of one chain, so that a chain takes
-- its facts in their order. Where there is more than one list, each fact has its place in the order of all, from 1.
-- Each fact: fact_id, owner, visibility, entity, key, value, actor, confidence, horizon_class, tokens, and where set
-- tenant_hash, source_receipt, valid_from, valid_to. Rows are found by their keys alone: a plan made while the tables
-- were small must not read them whole when they have grown.
create or replace function svc_store_facts(me text, rounds json)
  returns table (fact_id uuid, version int, stored_at timestamptz, confidence real)
  language plpgsql set enable_seqscan = off as $$
  #variable_conflict use_column
  declare
    round json;
    began timestamptz;
    drawn bigint[];
    ids uuid[];
    versions int[];
    times timestamptz[];
    starts timestamptz[];
    confidences real[];
    owners text[];
    visibilities smallint[];
    retired bigint[];
    moved record;
  begin
    perform svc_enter_facts(me);
    -- One time and seqs in the order of the facts: a list that is stored at once is listed in its order.
    began := date_trunc('milliseconds', clock_timestamp());
    if json_array_length(rounds) > 1 then
      drawn := array(select nextval('fact_seq') from json_array_elements(rounds) r cross join json_array_elements(r));
    end if;
    for round in select r from json_array_elements(rounds) r loop
      -- Heads are taken in the order of their chains: two batches never wait for each other.
      with incoming as materialized (
        select i.*, svc_fact_chain(i.owner, i.entity, i.key) as chain, coalesce(drawn[i.place], nextval('fact_seq')) as seq
        from json_to_recordset(round) i (place int, fact_id uuid, owner text, visibility smallint, entity text, key text, value text, actor text,
          confidence real, horizon_class text, tokens int, tenant_hash text, source_receipt text, valid_from timestamptz, valid_to timestamptz)
      ), head as (
        insert into fact_head as h (tenant_id, chain, owner, visibility, entity, version, seq, stored_at, records)
        select me, i.chain, i.owner, i.visibility, i.entity, 1, i.seq, began, 1
        from (select * from incoming order by chain) i
        -- Another writer may have been waited for, and have drawn a later seq.
        on conflict (tenant_id, chain) do update set version = h.version + 1, records = h.records + 1,
          seq = case when h.seq < excluded.seq then excluded.seq else nextval('fact_seq') end,
          supersedes = case when h.records > 0 then h.seq end, stored_at = greatest(h.stored_at, excluded.stored_at)
        returning chain, version, seq, stored_at, supersedes
      ), stored as (
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens,
          tenant_hash, source_receipt, stored_at, valid_from, valid_to, ends_at, supersedes)
        select me, h.seq, i.fact_id, i.chain, h.version, i.visibility, i.owner, i.entity, i.key, i.value, i.actor, i.confidence, i.horizon_class,
          i.tokens, i.tenant_hash, i.source_receipt, h.stored_at, i.valid_from, i.valid_to, i.valid_to, h.supersedes
        from incoming i join head h using (chain)
        returning seq, fact_id, version, visibility, owner, entity, key, actor, confidence, stored_at, valid_from, supersedes
      ), reported as (
        -- Of a private fact nothing but that it is there.
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, s.fact_id, 'fact.stored', s.fact_id, case s.visibility
          when 0 then jsonb_build_object('fact_id', s.fact_id, 'entity', s.entity, 'key', s.key, 'version', s.version, 'actor', s.actor)
          else jsonb_build_object('fact_id', s.fact_id, 'private', true) end
        from stored s order by s.seq
      )
      select array_agg(s.fact_id), array_agg(s.version), array_agg(s.stored_at), array_agg(coalesce(s.valid_from, s.stored_at)),
          array_agg(s.confidence), array_agg(s.owner), array_agg(s.visibility), array_agg(s.supersedes)
        into ids, versions, times, starts, confidences, owners, visibilities, retired from stored s;

      -- Statements of their own: they see what a writer that was waited for has committed.
      for moved in
        select n.* from unnest(retired, ids, times, starts) n(seq, fact_id, stored_at, begins) where n.seq is not null order by n.seq
      loop
        update fact f set superseded_by = moved.fact_id, superseded_at = moved.stored_at, ends_at = least(f.ends_at, moved.begins)
          where f.tenant_id = me and f.seq = moved.seq;
      end loop;
      for moved in
        select s.scope, n.visibility, count(*) as records, count(*) filter (where n.retired is null) as current
        from unnest(owners, visibilities, retired) n(owner, visibility, retired)
        cross join lateral unnest(case when n.owner = '' then array[''] else array['', n.owner] end) s(scope)
        group by s.scope, n.visibility
      loop
        perform svc_count_facts(me, moved.scope, moved.visibility, moved.records, moved.current);
      end loop;
      return query select n.* from unnest(ids, versions, times, confidences) n;
    end loop;
  end $$;
