import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts as append-only records in chains, their heads, and totals that are kept instead of counted. */
export class CreateFacts1795300000000 implements MigrationInterface {
  name = 'CreateFacts1795300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(RECORDS);
    await runner.query(HEADS);
    await runner.query(COUNTS);
    await runner.query(STORE);
    await runner.query(RETIRE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_retire_fact(text, bytea, uuid, text), svc_store_facts(text, json), svc_count_facts(text, text, smallint, bigint, bigint),
        svc_settle_facts(text), svc_enter_facts(text), svc_fact_chain(text, text, text);
      drop table fact_count, fact_head, fact;
      drop sequence fact_seq;
    `);
  }
}

const RECORDS = `
  create sequence fact_seq;
  grant usage on sequence fact_seq to svc_app, svc_operator;

  -- A chain is what is known of one key of one entity: in public, and by each writer of private facts apart. Its versions have no gaps.
  create table fact (
    tenant_id text not null,
    -- Grows along a chain. Across chains it tells the order of writing roughly: see svc_settle_facts.
    seq bigint not null,
    fact_id uuid not null,
    chain bytea not null check (length(chain) = 32),
    version int not null,
    -- 0 public, 1 private, 2 private under a reserved prefix.
    visibility smallint not null check (visibility between 0 and 2),
    -- The principal that alone sees it beside admin scopes; '' for public ones.
    owner text not null check ((owner = '') = (visibility = 0)),
    entity text collate "C" not null,
    key text collate "C" not null,
    value text not null,
    actor text not null,
    confidence real not null,
    horizon_class text not null check (horizon_class in ('ephemeral', 'session', 'durable', 'permanent')),
    tokens int not null,
    tenant_hash text,
    source_receipt text,
    -- To the millisecond, and never before that of the version before.
    stored_at timestamptz not null,
    valid_from timestamptz,
    valid_to timestamptz,
    -- Until when it holds in valid time, which begins at coalesce(valid_from, stored_at): its valid_to, the beginning of the version after it, or its deletion.
    ends_at timestamptz,
    -- The record that a deletion writes: never read as a fact.
    tombstone boolean not null default false,
    -- The seq of the record that it retired.
    supersedes bigint,
    superseded_by uuid,
    superseded_at timestamptz,
    -- Set on every record of a chain when the chain is deleted.
    deleted_at timestamptz,
    primary key (tenant_id, seq),
    unique (tenant_id, fact_id),
    unique (tenant_id, chain, version)
  ) with (fillfactor = 90);
  create index fact_list on fact (tenant_id, visibility, stored_at, seq) where deleted_at is null and not tombstone;
  create index fact_own on fact (tenant_id, owner, visibility, stored_at, seq) where visibility > 0 and deleted_at is null and not tombstone;
  create index fact_deleted on fact (tenant_id, visibility, stored_at, seq) where deleted_at is not null and not tombstone;
  select svc_secure_table('fact');

  -- Names of any length, in a key of one.
  create function svc_fact_chain(owner text, entity text, key text) returns bytea language sql stable parallel safe as $$
    select sha256(convert_to(length(owner) || ':' || owner || length(entity) || ':' || entity || key, 'UTF8'))
  $$;

  -- Writers of a tenant hold this together until their transaction ends; svc_settle_facts waits for them all.
  create function svc_enter_facts(me text) returns void language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    -- So that no seq is drawn before the transaction has its number: readers may go by either.
    perform pg_current_xact_id();
    perform pg_advisory_xact_lock_shared(hashtextextended('svc facts ' || me, 0));
  end $$;

  -- The highest seq of the tenant, once no transaction under way can still commit a lower one; 0 for none. Writers wait until the caller's
  -- transaction ends, so that it should end soon.
  create function svc_settle_facts(me text) returns bigint language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    perform pg_advisory_xact_lock(hashtextextended('svc facts ' || me, 0));
    return coalesce((select max(f.seq) from fact f where f.tenant_id = me), 0);
  end $$;
`;

const HEADS = `
  -- The last version of each chain: what its writers lock, and by which the current facts are listed.
  create table fact_head (
    tenant_id text not null,
    chain bytea not null,
    owner text not null,
    visibility smallint not null,
    entity text collate "C" not null,
    -- By which names are found: an index row must not grow with the name, and an index on an expression would not serve under row-level security.
    entity_start text collate "C" not null generated always as (left(entity, 200)) stored,
    -- Of the last record, a tombstone too.
    version int not null,
    seq bigint not null,
    stored_at timestamptz not null,
    -- The seq of the record that the last one retired.
    supersedes bigint,
    -- Those that are not deleted; 0: the chain is deleted.
    records int not null,
    primary key (tenant_id, chain)
  ) with (fillfactor = 80);
  create index fact_head_list on fact_head (tenant_id, visibility, stored_at, seq) where records > 0;
  create index fact_head_own on fact_head (tenant_id, owner, visibility, stored_at, seq) where visibility > 0 and records > 0;
  create index fact_head_entity on fact_head (tenant_id, entity_start);
  select svc_secure_table('fact_head');
`;

const COUNTS = `
  -- Totals: of a visibility as a whole (scope '') and of each owner's private facts (scope: the owner), in as many slots as there were writers at once.
  create table fact_count (
    tenant_id text not null,
    scope text not null,
    visibility smallint not null,
    slot int not null,
    -- Records that are not deleted, and among them those that nothing supersedes.
    records bigint not null,
    current bigint not null,
    primary key (tenant_id, scope, visibility, slot)
  ) with (fillfactor = 50);
  select svc_secure_table('fact_count');

  -- Takes a slot that no other transaction holds: counting makes nobody wait.
  create function svc_count_facts(me text, of_scope text, of_visibility smallint, more_records bigint, more_current bigint) returns void
    language plpgsql as $$
  declare
    free int;
  begin
    select c.slot into free from fact_count c where c.tenant_id = me and c.scope = of_scope and c.visibility = of_visibility
      limit 1 for update skip locked;
    insert into fact_count as c (tenant_id, scope, visibility, slot, records, current)
      values (me, of_scope, of_visibility, coalesce(free, (random() * 2147483647)::int), more_records, more_current)
      on conflict (tenant_id, scope, visibility, slot)
      do update set records = c.records + excluded.records, current = c.current + excluded.current;
  end $$;
`;

const STORE = `
  -- Stores facts in one transaction. rounds: a list of lists, each without two facts of one chain, so that a chain takes its facts in their order.
  -- Where there is more than one list, each fact has its place in the order of all, from 1. Each fact: fact_id, owner, visibility, entity, key, value, actor, confidence, horizon_class, tokens, and where set tenant_hash, source_receipt,
  -- valid_from, valid_to. Rows are found by their keys alone: a plan made while the tables were small must not read them whole when they have grown.
  create function svc_store_facts(me text, rounds json)
    returns table (fact_id uuid, version int, stored_at timestamptz, confidence real) language plpgsql set enable_seqscan = off as $$
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
      ), told as (
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
  grant execute on function svc_fact_chain(text, text, text), svc_enter_facts(text), svc_settle_facts(text),
    svc_count_facts(text, text, smallint, bigint, bigint), svc_store_facts(text, json) to svc_app;
`;

const RETIRE = `
  -- Deletes a chain: a tombstone supersedes its last record, and all its records leave the lists. False when it is deleted already.
  create function svc_retire_fact(me text, of_chain bytea, tombstone_id uuid, deleted_by text) returns boolean language plpgsql
    set enable_seqscan = off as $$
  declare
    head fact_head;
    gone bigint;
  begin
    perform svc_enter_facts(me);
    update fact_head h set version = h.version + 1, supersedes = h.seq, seq = nextval('fact_seq'),
      stored_at = greatest(h.stored_at, date_trunc('milliseconds', clock_timestamp()))
      where h.tenant_id = me and h.chain = of_chain and h.records > 0 returning h.* into head;
    if not found then
      return false;
    end if;
    insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens,
        stored_at, tombstone, supersedes)
      select me, head.seq, tombstone_id, of_chain, head.version, f.visibility, f.owner, f.entity, f.key, '', deleted_by, f.confidence,
        f.horizon_class, 0, head.stored_at, true, head.supersedes
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
    return true;
  end $$;
  grant execute on function svc_retire_fact(text, bytea, uuid, text) to svc_app;
`;
