import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index that facts are searched by: immutable segments over table fact, and up to where they reach. */
export class CreateFactIndex1795301000000 implements MigrationInterface {
  name = 'CreateFactIndex1795301000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(READING);
    await runner.query(SEALING);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_move_fact_index(text, bigint, bigint), svc_fact_writers(text),
        svc_facts_of_entity(text, text, text, text, text, boolean, int), svc_fact_postings(text, uuid[], bigint[], bigint[]),
        svc_fact_segments(text, uuid[]), svc_fact_index(text, bigint, int8multirange, int), svc_facts_to_index(text, bigint[]);
      drop table fact_segment, fact_index;
      alter sequence fact_seq owned by none;
    `);
  }
}

const TABLES = `
  -- A restored database goes on after the highest seq: so it knows which column the sequence is for.
  alter sequence fact_seq owned by fact.seq;

  -- Every record up to sealed_seq is in a segment. Whoever changes the segments moves the generation on in the same transaction.
  create table fact_index (
    tenant_id text not null,
    generation bigint not null,
    sealed_seq bigint not null,
    primary key (tenant_id)
  );
  select svc_secure_table('fact_index');

  create table fact_segment (
    tenant_id text not null,
    segment_id uuid not null,
    visibility smallint not null check (visibility between 0 and 2),
    -- Facts that were retired when it was made: only searches in the past read it.
    history boolean not null,
    fact_count int not null,
    -- Facts of other segments that those of this one retired.
    retire_count int not null,
    header bytea not null,
    header_digest bytea not null check (length(header_digest) = 32),
    columns bytea not null,
    columns_digest bytea not null check (length(columns_digest) = 32),
    postings bytea not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, segment_id)
  );
  -- Not compressed: a slice of it is then read without the rest.
  alter table fact_segment alter column header set storage external, alter column columns set storage external,
    alter column postings set storage external;
  select svc_secure_table('fact_segment');
`;

const READING = `
  -- Records as the index takes them, in the order of their seqs. One look-up a record: a plan made while the table was small must not read it whole.
  create function svc_facts_to_index(me text, wanted bigint[])
    returns table (seq bigint, visibility smallint, owner text, entity text, key text, value text, stored_at timestamptz, confidence real,
                   horizon_class text, retires bigint, tombstone boolean)
    language sql stable as $$
    select f.seq, f.visibility, f.owner, f.entity, f.key, left(f.value, 65536), f.stored_at, f.confidence, f.horizon_class, f.supersedes, f.tombstone
    from unnest(wanted) w(seq) cross join lateral (select f.* from fact f where f.tenant_id = me and f.seq = w.seq offset 0) f order by w.seq
  $$;

  -- A search's first round trip: what is committed beyond the segments and not among the known seqs, at most so many and about 16 MB, and in the last row
  -- where the index stands, with its segments when its generation is not the known one.
  create function svc_fact_index(me text, known_generation bigint, known int8multirange, most int)
    returns table (seq bigint, visibility smallint, owner text, entity text, key text, value text, stored_at timestamptz, confidence real,
                   horizon_class text, retires bigint, tombstone boolean, generation bigint, sealed_seq bigint, segments json, more boolean)
    language plpgsql
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  declare
    state fact_index;
    -- A plain number: under row-level security an expression of one would not be looked up in the index.
    line bigint;
    picked bigint[];
    has_more boolean;
  begin
    perform set_config('svc.tenant_id', me, true);
    select i.* into state from fact_index i where i.tenant_id = me;
    line := coalesce(state.sealed_seq, 0);
    select array_agg(t.seq) filter (where t.number <= most and t.before < 16777216), bool_or(t.number > most or t.before >= 16777216)
      into picked, has_more
      from (
        select u.seq, row_number() over w as number, sum(u.size) over w - u.size as before
        from (
          select f.seq, least(octet_length(f.value), 262144) as size from fact f
          where f.tenant_id = me and f.seq > line and not (f.seq <@ known) order by f.seq limit most + 1
        ) u window w as (order by u.seq)
      ) t;
    if picked is not null then
      return query select f.*, null::bigint, null::bigint, null::json, null::boolean from svc_facts_to_index(me, picked) f;
    end if;
    return query
      select null::bigint, null::smallint, null::text, null::text, null::text, null::text, null::timestamptz, null::real, null::text, null::bigint,
        null::boolean, coalesce(state.generation, 0), line,
        case when coalesce(state.generation, 0) is distinct from known_generation then coalesce((
          select json_agg(json_build_array(s.segment_id, s.visibility, s.history, s.fact_count, s.retire_count) order by s.segment_id)
          from fact_segment s where s.tenant_id = me), '[]') end,
        coalesce(has_more, false);
  end $$;

  create function svc_fact_segments(me text, wanted uuid[])
    returns table ("segmentId" uuid, visibility smallint, "isHistory" boolean, "factCount" int, "retireCount" int, header bytea, "headerDigest" bytea,
                   columns bytea, "columnsDigest" bytea) language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.segment_id, s.visibility, s.history, s.fact_count, s.retire_count, s.header, s.header_digest, s.columns, s.columns_digest
      from fact_segment s where s.tenant_id = me and s.segment_id = any (wanted);
  end $$;

  -- Slices of segments' postings. A segment that is gone gives no row.
  create function svc_fact_postings(me text, wanted uuid[], firsts bigint[], ends bigint[])
    returns table (number bigint, postings bytea) language plpgsql
    set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select w.number, substring(s.postings from (w.first + 1)::int for (w.after - w.first)::int)
      from unnest(wanted, firsts, ends) with ordinality w(segment_id, first, after, number)
      join fact_segment s on s.tenant_id = me and s.segment_id = w.segment_id;
  end $$;

  -- The facts of one entity, or of those whose names begin so and lie between two bounds in the index: the current ones, or all versions; one more than
  -- asked for when there are more.
  create function svc_facts_of_entity(me text, of_entity text, of_prefix text, low text, high text, with_history boolean, most int)
    returns table (seq bigint) language plpgsql
    set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select f.seq
      from (
        select h.chain, h.seq from fact_head h
        where h.tenant_id = me and h.entity_start >= low and h.entity_start < high and (with_history or h.records > 0)
          and (of_entity is null or h.entity = of_entity) and (of_prefix is null or starts_with(h.entity, of_prefix))
        offset 0
      ) h cross join lateral (
        select h.seq where not with_history
        union all
        select f.seq from fact f where with_history and f.tenant_id = me and f.chain = h.chain and not f.tombstone
      ) f
      limit most + 1;
  end $$;
  grant execute on function svc_facts_to_index(text, bigint[]), svc_fact_index(text, bigint, int8multirange, int),
    svc_fact_segments(text, uuid[]), svc_fact_postings(text, uuid[], bigint[], bigint[]),
    svc_facts_of_entity(text, text, text, text, text, boolean, int) to svc_app;
`;

const SEALING = `
  -- The transactions that write facts of the tenant at this moment, by the lock that svc_enter_facts takes before it draws a seq. When those seen after a
  -- seq was read have ended, all lower seqs are committed or will never be; nobody was kept waiting.
  create function svc_fact_writers(me text) returns table (writer text) language sql volatile as $$
    select distinct l.virtualtransaction from pg_locks l, hashtextextended('svc facts ' || me, 0) k
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid = ((k >> 32) & 4294967295)::oid and l.objid = (k & 4294967295)::oid and l.pid <> pg_backend_pid()
  $$;

  -- Moves the index from a line to another, or to another set of segments at the same line; false when it is not there any more.
  create function svc_move_fact_index(me text, from_seq bigint, to_seq bigint) returns boolean language plpgsql as $$
  begin
    insert into fact_index as i (tenant_id, generation, sealed_seq) select me, 1, to_seq where from_seq = 0
      on conflict (tenant_id) do update set generation = i.generation + 1, sealed_seq = to_seq where i.sealed_seq = from_seq;
    if found then
      return true;
    end if;
    update fact_index i set generation = i.generation + 1, sealed_seq = to_seq where i.tenant_id = me and i.sealed_seq = from_seq;
    return found;
  end $$;
  grant execute on function svc_fact_writers(text), svc_move_fact_index(text, bigint, bigint) to svc_app;
`;
