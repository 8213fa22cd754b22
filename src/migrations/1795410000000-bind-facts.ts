import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts are stored with a receipt over their batch, and say whose credential wrote them. */
export class BindFacts1795410000000 implements MigrationInterface {
  name = 'BindFacts1795410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    for (const sql of FUNCTIONS) await runner.query(sql);
    await runner.query(RIGHTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_unknown_receipts(text, text[]), svc_settle_export(text), svc_retire_fact_batch(text, bytea, json, json), 
        svc_lock_fact_chain(text, bytea), svc_store_fact_batch(text, json, json), svc_add_fact_batch(text, json);
      drop table fact_settled, fact_batch;
      alter table fact drop column leaf_index, drop column receipt_id, drop column actor_claimed, drop column written_by;
    `);
  }
}

const TABLES = `
  -- Null in rows that are older than the columns, and in those of a release before.
  alter table fact add column written_by text, add column actor_claimed boolean not null default false,
    add column receipt_id uuid, add column leaf_index int;

  -- What the receipts of the kind fact.batch bind: the facts by their ids, and their leaf hashes one after another, both in the order of the leaves.
  create table fact_batch (
    tenant_id text not null,
    receipt_id uuid not null,
    facts uuid[] not null,
    leaves bytea not null check (length(leaves) = 32 * cardinality(facts)),
    primary key (tenant_id, receipt_id)
  );
  select svc_secure_table('fact_batch');
  revoke update, delete on fact_batch from svc_app, svc_operator;

  -- When an export of facts last said up to when none is missing.
  create table fact_settled (
    tenant_id text primary key,
    settled_at timestamptz not null
  );
  select svc_secure_table('fact_settled');
`;

const FUNCTIONS = [
  `-- Adds the receipt of a batch of facts, with the batch's leaves. It was signed for a place in its stream and for a time:
-- both are checked here, under the lock of the stream's head, and what does not fit ends in SF001, whose detail says
-- what would: the head (seq, payload_hash), or the time (at, in milliseconds).
create function svc_add_fact_batch(me text, batch json) returns void
  language plpgsql set enable_seqscan = off as $$
  declare
    clock timestamptz := clock_timestamp();
    last receipt_head;
  begin
    with b as materialized (
      select * from json_to_record(batch) r (stream text, seq bigint, prev bytea, receipt_id uuid, payload_hash bytea, actor text,
        session text, occurred_at timestamptz, cose bytea, digest bytea, facts uuid[], leaves bytea)
    ), moved as (
      update receipt_head h set seq = b.seq, payload_hash = b.payload_hash from b
      where h.tenant_id = me and h.stream = b.stream and h.seq = b.seq - 1 and h.payload_hash is not distinct from b.prev
      returning h.seq
    ), begun as (
      insert into receipt_head (tenant_id, stream, seq, payload_hash)
      select me, b.stream, 1, b.payload_hash from b where b.seq = 1 on conflict do nothing returning seq
    ), fitting as (
      -- No fact is stored at a time before which an export has said that none is missing.
      select b.* from b left join fact_settled s on s.tenant_id = me
      where (exists (select from moved) or exists (select from begun))
        and b.occurred_at between greatest(clock - interval '60 seconds', s.settled_at) and greatest(clock + interval '1 second', s.settled_at)
    ), logged as (
      insert into log_pending (record_type, record_digest) select 'execution', digest from fitting
    ), kept as (
      insert into fact_batch (tenant_id, receipt_id, facts, leaves) select me, receipt_id, facts, leaves from fitting
    )
    insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
      select me, receipt_id, stream, seq, prev, payload_hash, 'fact.batch', actor, 'facts', occurred_at, cose, session from fitting;
    if found then
      return;
    end if;
    select * into last from receipt_head h where h.tenant_id = me and h.stream = batch ->> 'stream';
    if last.payload_hash is not distinct from (batch ->> 'payload_hash')::bytea then
      raise exception 'the time is another' using errcode = 'SF001', detail = json_build_object('at', floor(extract(epoch from
        greatest(clock, (select s.settled_at from fact_settled s where s.tenant_id = me))) * 1000));
    end if;
    raise exception 'the stream goes on elsewhere' using errcode = 'SF001',
      detail = json_build_object('seq', coalesce(last.seq, 0), 'payload_hash', encode(last.payload_hash, 'hex'));
  end $$;`,
  `-- Stores facts with their receipt in one transaction. rounds: a list of lists, each without two facts of one chain, so
-- that a chain takes its facts in their order. Each fact: its place among all from 1 (its leaf has that number less
-- one), fact_id, owner, visibility, entity, key, version, value, actor, actor_claimed, written_by, confidence,
-- horizon_class, tokens, and where set tenant_hash, source_receipt, valid_from, valid_to. batch: the receipt, as
-- svc_add_fact_batch takes it; the facts are stored at its time. A version that another writer has taken ends in SF001,
-- whose detail names the versions that are free by the places, and a time that is not before that of their chains.
-- Rows are found by their keys alone: a plan made while the tables were small must not read them whole when they have
-- grown.
create function svc_store_fact_batch(me text, rounds json, batch json) returns void
  language plpgsql set enable_seqscan = off as $$
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
          source_receipt text, valid_from timestamptz, valid_to timestamptz)
      ), head as (
        insert into fact_head as h (tenant_id, chain, owner, visibility, entity, version, seq, stored_at, records)
        select me, i.chain, i.owner, i.visibility, i.entity, 1, i.drawn_seq, began, 1
        from (select * from incoming order by chain) i
        -- Another writer may have been waited for, and have drawn a later seq.
        on conflict (tenant_id, chain) do update set version = h.version + 1, records = h.records + 1,
          seq = case when h.seq < excluded.seq then excluded.seq else nextval('fact_seq') end,
          supersedes = case when h.records > 0 then h.seq end, stored_at = greatest(h.stored_at, excluded.stored_at)
        returning chain, version, seq, stored_at, supersedes
      ), stored as (
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, actor_claimed, written_by,
          confidence, horizon_class, tokens, tenant_hash, source_receipt, stored_at, valid_from, valid_to, ends_at, supersedes, receipt_id,
          leaf_index)
        select me, h.seq, i.fact_id, i.chain, h.version, i.visibility, i.owner, i.entity, i.key, i.value, i.actor, i.actor_claimed,
          i.written_by, i.confidence, i.horizon_class, i.tokens, i.tenant_hash, i.source_receipt, h.stored_at, i.valid_from, i.valid_to,
          i.valid_to, h.supersedes, batch_id, i.place - 1
        from incoming i join head h using (chain)
        returning seq, fact_id, version, visibility, owner, entity, key, actor, stored_at, valid_from, supersedes, leaf_index
      ), reported as (
        -- Of a private fact nothing but that it is there.
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, s.fact_id, 'fact.stored', s.fact_id, case s.visibility
          when 0 then jsonb_build_object('fact_id', s.fact_id, 'entity', s.entity, 'key', s.key, 'version', s.version, 'actor', s.actor)
          else jsonb_build_object('fact_id', s.fact_id, 'private', true) end
        from stored s order by s.seq
      )
      select array_agg(s.fact_id), array_agg(s.leaf_index + 1), array_agg(i.version), array_agg(s.version), max(s.stored_at),
          array_agg(coalesce(s.valid_from, s.stored_at)), array_agg(s.owner), array_agg(s.visibility), array_agg(s.supersedes)
        into ids, places, asked, versions, latest, starts, owners, visibilities, retired
        from stored s join incoming i on i.place = s.leaf_index + 1;

      if asked <> versions or latest > began then
        raise exception 'another writer was first' using errcode = 'SF001', detail = json_build_object(
          'at', case when latest > began then ceil(extract(epoch from latest) * 1000) end,
          'versions', (select json_object_agg(n.place, n.version) from unnest(places, versions) n (place, version)));
      end if;
      -- Statements of their own: they see what a writer that was waited for has committed.
      if array_remove(retired, null) <> '{}' then
        for moved in
          select n.* from unnest(retired, ids, starts) n (seq, fact_id, begins) where n.seq is not null order by n.seq
        loop
          update fact f set superseded_by = moved.fact_id, superseded_at = began, ends_at = least(f.ends_at, moved.begins)
            where f.tenant_id = me and f.seq = moved.seq;
        end loop;
      end if;
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
  end $$;`,
  `-- The last record of a chain that is not deleted, locked until the transaction ends; no row for any other.
create function svc_lock_fact_chain(me text, of_chain bytea)
  returns table (owner text, entity text, key text, version int, confidence real, horizon_class text, stored_at timestamptz)
  language plpgsql set enable_seqscan = off as $$
  begin
    perform svc_enter_facts(me);
    perform 1 from fact_head h where h.tenant_id = me and h.chain = of_chain for update;
    return query select f.owner, f.entity, f.key, f.version, f.confidence, f.horizon_class, f.stored_at
      from fact_head h join fact f on f.tenant_id = me and f.seq = h.seq
      where h.tenant_id = me and h.chain = of_chain and h.records > 0;
  end $$;`,
  `-- Deletes a chain: a tombstone supersedes its last record, and all its records leave the lists. deletion: fact_id,
-- version, actor, written_by. batch: the receipt, as svc_add_fact_batch takes it, with the tombstone as its only leaf.
-- The caller holds the chain's head.
create function svc_retire_fact_batch(me text, of_chain bytea, deletion json, batch json) returns void
  language plpgsql set enable_seqscan = off as $$
  declare
    head fact_head;
    tombstone_id uuid := deletion ->> 'fact_id';
    deleted_by text := deletion ->> 'actor';
    began timestamptz := batch ->> 'occurred_at';
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    update fact_head h set version = h.version + 1, supersedes = h.seq, seq = nextval('fact_seq'), stored_at = greatest(h.stored_at, began)
      where h.tenant_id = me and h.chain = of_chain and h.records > 0 and h.version = (deletion ->> 'version')::int - 1 returning h.* into head;
    if not found or head.stored_at > began then
      raise exception 'another writer was first' using errcode = 'SF001', detail = '{}';
    end if;
    insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, actor_claimed, written_by, confidence,
        horizon_class, tokens, stored_at, tombstone, supersedes, receipt_id, leaf_index)
      select me, head.seq, tombstone_id, of_chain, head.version, f.visibility, f.owner, f.entity, f.key, '', deleted_by, false,
        deletion ->> 'written_by', f.confidence, f.horizon_class, 0, head.stored_at, true, head.supersedes, (batch ->> 'receipt_id')::uuid, 0
      from fact f where f.tenant_id = me and f.seq = head.supersedes;
    update fact f set deleted_at = head.stored_at, ends_at = least(f.ends_at, head.stored_at),
      superseded_by = coalesce(f.superseded_by, tombstone_id), superseded_at = coalesce(f.superseded_at, head.stored_at)
      -- All since the deletion before, found by their versions.
      where f.tenant_id = me and f.chain = of_chain and f.version between head.version - head.records and head.version - 1;
    update fact_head h set records = 0 where h.tenant_id = me and h.chain = of_chain;
    perform svc_count_facts(me, '', head.visibility, -head.records, -1);
    if head.owner <> '' then
      perform svc_count_facts(me, head.owner, head.visibility, -head.records, -1);
    end if;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, tombstone_id, 'fact.retired', f.fact_id, case head.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version, 'actor', deleted_by)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.seq = head.supersedes;
  end $$;`,
  `-- The time up to which no fact of the tenant is missing: from here on none is stored before it. Writers wait until the
-- caller's transaction ends, so that it should end soon.
create function svc_settle_export(me text) returns timestamptz language plpgsql as $$
  declare
    now_settled timestamptz;
  begin
    perform svc_settle_facts(me);
    insert into fact_settled as s (tenant_id, settled_at) values (me, date_trunc('milliseconds', clock_timestamp()))
      on conflict (tenant_id) do update set settled_at = greatest(s.settled_at, excluded.settled_at)
      returning s.settled_at into now_settled;
    return now_settled;
  end $$;`,
  `-- Of these names of receipts those that the tenant has none of: a UUID names an execution receipt, \`blake3:\` and 64
-- digits a retrieval receipt; nothing else names any.
create function svc_unknown_receipts(me text, names text[]) returns setof text
  language plpgsql set enable_seqscan = off as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query select n.name from unnest(names) n (name) where not case
      when n.name ~ '^blake3:[0-9a-f]{64}$' then exists (
        select from retrieval_receipt r where r.tenant_id = me and r.record_digest = decode(substr(n.name, 8), 'hex'))
      when n.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then exists (
        select from receipt r where r.tenant_id = me and r.receipt_id = n.name::uuid)
      else false end;
  end $$;`,
];

const RIGHTS = `
  revoke execute on function svc_unknown_receipts(text, text[]), svc_settle_export(text), svc_retire_fact_batch(text, bytea, json, json), svc_lock_fact_chain(text, bytea), svc_store_fact_batch(text, json, json), svc_add_fact_batch(text, json) from public;
  grant execute on function svc_unknown_receipts(text, text[]), svc_settle_export(text), svc_retire_fact_batch(text, bytea, json, json), svc_lock_fact_chain(text, bytea), svc_store_fact_batch(text, json, json), svc_add_fact_batch(text, json) to svc_app;
`;
