import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Vectors of facts and other records of the memory, and the spaces that vectors are comparable in. */
export class CreateMemoryVectors1795650000000 implements MigrationInterface {
  name = 'CreateMemoryVectors1795650000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(FUNCTIONS);
    await runner.query(`
      revoke execute on function svc_vector_type(int), svc_drop_vectors(),
        svc_nearest_memory(text, int, text, text, int, text, boolean, boolean, int),
        svc_memory_vectors(text, int, text, bigint, bigint, int) from public;
      grant execute on function svc_vector_type(int) to svc_app, svc_operator;
      grant execute on function svc_nearest_memory(text, int, text, text, int, text, boolean, boolean, int),
        svc_memory_vectors(text, int, text, bigint, bigint, int) to svc_app;
      create trigger drop_vectors after delete on fact referencing old table as gone
        for each statement execute function svc_drop_vectors('fact', 'seq');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger drop_vectors on fact;
      drop function svc_drop_vectors(), svc_memory_vectors(text, int, text, bigint, bigint, int),
        svc_nearest_memory(text, int, text, text, int, text, boolean, boolean, int);
      drop table memory_vector, memory_vector_state, vector_space;
    `);
  }
}

const TABLES = `
  create table vector_space (
    space_id int generated always as identity primary key,
    -- What vectors of passages call it: the model, with a number where that was taken.
    name text collate "C" not null unique,
    model text not null,
    -- Asked of the endpoint; null: as the model gives.
    asked_dimensions int,
    -- Of the first answer.
    dimensions int,
    query_prefix text not null,
    passage_prefix text not null,
    input_tokens int not null,
    state text not null check (state in ('building', 'serving', 'retired')),
    created_at timestamptz not null default now(),
    serving_since timestamptz,
    failed_at timestamptz,
    reason text
  );
  create unique index vector_space_state on vector_space (state) where state <> 'retired';
  grant select on vector_space to svc_app;
  grant select, insert, update, delete on vector_space to svc_operator;

  create table memory_vector (
    tenant_id text not null,
    space_id int not null,
    kind text collate "C" not null,
    item_id text collate "C" not null,
    -- In the order of commits within a tenant, space and kind: a reader that has all up to one asks for the later ones.
    place bigint not null,
    -- As of a fact.
    visibility smallint not null default 0,
    owner text not null default '',
    -- Of the text, where that may change.
    digest bytea,
    -- Unit length, 32-bit floats, little-endian; null once the item is not to be found any more.
    vector bytea,
    primary key (tenant_id, space_id, kind, item_id)
  );
  alter table memory_vector alter column vector set storage external;
  create index memory_vector_place on memory_vector (tenant_id, space_id, kind, place);
  select svc_secure_table('memory_vector');

  create table memory_vector_state (
    tenant_id text not null,
    space_id int not null,
    kind text collate "C" not null,
    -- Up to where what is only added to was looked at.
    position bigint not null default 0,
    last_place bigint not null default 0,
    removals bigint not null default 0,
    primary key (tenant_id, space_id, kind)
  );
  select svc_secure_table('memory_vector_state');

  do $$
  begin
    if exists (select from pg_extension where extname = 'vector') then
      alter table memory_vector add column embedding vector;
    end if;
  end $$;
`;

const FUNCTIONS = `
    -- The type by which an index of so many dimensions compares vectors: pgvector indexes up to 2000 of four bytes each, and
    -- up to 4000 of two bytes each where it has them. Beyond that every vector is compared.
    create or replace function svc_vector_type(dimensions int) returns text language sql stable as $$
      select case when dimensions between 2001 and 4000 and to_regtype('halfvec') is not null then 'halfvec' else 'vector' end
      $$;

    -- The nearest vectors of one kind among those that the reader may see, nearest first: what others keep private is not
    -- compared at all.
    create or replace function svc_nearest_memory(me text, wanted_space int, wanted_kind text, wanted text, dimensions int,
      reader text, sees_all boolean, with_reserved boolean, at_most int) returns table (item_id text, similarity float8)
      language plpgsql as $$
          begin
            perform set_config('svc.tenant_id', me, true);
            perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
            perform set_config('hnsw.max_scan_tuples', '1000000', true);
            return query execute format(
              'with near as materialized ('
              '  select v.item_id, v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) as distance from memory_vector v '
              '  where vector_dims(v.embedding) = %1$s and v.tenant_id = $2 and v.space_id = $3 and v.kind = $4 '
              '    and (v.visibility = 0 or ($5 or v.owner = $6) and ($7 or v.visibility < 2)) '
              '  order by v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) limit $8) '
              'select n.item_id, 1 - n.distance from near n order by n.distance + 0', dimensions, svc_vector_type(dimensions))
              using wanted, me, wanted_space, wanted_kind, sees_all, reader, with_reserved, at_most;
          end $$;

    -- What was added to the vectors of a kind, or emptied, after a place; all of it where rows were removed since the reader
    -- looked last. The last row has no item: it says how many removals there were.
    create or replace function svc_memory_vectors(me text, wanted_space int, wanted_kind text, after bigint, known bigint, most int)
      returns table (place bigint, item_id text, visibility smallint, owner text, vector bytea, removals bigint)
      language plpgsql as $$
          declare
            -- A plain number: under row-level security an expression of one would not be looked up in the index.
            line bigint;
            now_removed bigint;
          begin
            perform set_config('svc.tenant_id', me, true);
            select coalesce(max(s.removals), 0) into now_removed from memory_vector_state s
              where s.tenant_id = me and s.space_id = wanted_space and s.kind = wanted_kind;
            line := case when now_removed = known then after else 0 end;
            return query
              (select v.place, v.item_id, v.visibility, v.owner, v.vector, null::bigint from memory_vector v
               where v.tenant_id = me and v.space_id = wanted_space and v.kind = wanted_kind and v.place > line
               order by v.place limit most)
              union all select null::bigint, null::text, null::smallint, null::text, null::bytea, now_removed;
          end $$;

    -- With rows that go, their vectors go: the arguments are the kind and the column of its id. Processes that have them in
    -- memory read all vectors of the kind again.
    create or replace function svc_drop_vectors() returns trigger language plpgsql as $$
          begin
            execute format(
              'with dropped as ('
              '  delete from memory_vector v using gone g where v.tenant_id = g.tenant_id and v.kind = $1 and v.item_id = g.%I::text '
              '  returning v.tenant_id, v.space_id, v.kind) '
              'update memory_vector_state s set removals = s.removals + 1 from (select distinct * from dropped) d '
              'where s.tenant_id = d.tenant_id and s.space_id = d.space_id and s.kind = d.kind', tg_argv[1]) using tg_argv[0];
            return null;
          end $$;
`;
