import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Embeddings of passages. Where the server has the extension pgvector, they are kept as its type too and searched by it. */
export class CreateVectors1795200100100 implements MigrationInterface {
  name = 'CreateVectors1795200100100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table chunk_vector (
        tenant_id text not null,
        chunk_id text not null,
        model text not null,
        shard_id uuid not null,
        -- The shard's generation at its commit: a reader that has all up to one asks for the later ones.
        generation bigint not null,
        -- Unit length, 32-bit floats, little-endian.
        vector bytea not null,
        primary key (tenant_id, chunk_id, model)
      );
      alter table chunk_vector alter column vector set storage external;
      create index chunk_vector_shard on chunk_vector (tenant_id, shard_id, generation);
      select svc_secure_table('chunk_vector');
      create policy shared_rows on chunk_vector for select to svc_app using (exists (
        select from index_shard s where s.tenant_id = chunk_vector.tenant_id and s.shard_id = chunk_vector.shard_id));

      create function svc_shard_vectors(me text, owner text, shard uuid, wanted_model text, after bigint)
        returns table (chunk_id text, generation text, vector bytea) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select v.chunk_id, v.generation::text, v.vector from chunk_vector v
          where v.tenant_id = owner and v.shard_id = shard and v.model = wanted_model and v.generation > after;
      end $$;
      grant execute on function svc_shard_vectors(text, text, uuid, text, bigint) to svc_app;

      do $$
      begin
        if not exists (select from pg_available_extensions where name = 'vector') then
          return;
        end if;
        create extension if not exists vector;
        alter table chunk_vector add column embedding vector;
      exception when insufficient_privilege then
        -- The extension is there but the owner may not install it: the exact scan serves.
        null;
      end $$;

      -- An index needs the number of dimensions, which only the first answer of the embeddings endpoint tells. Beyond 2000 pgvector has none.
      create function svc_index_vectors(dimensions int) returns void language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if dimensions not between 1 and 2000 then
          return;
        end if;
        execute format(
          'create index if not exists chunk_vector_%1$s on chunk_vector using hnsw ((embedding::vector(%1$s)) vector_cosine_ops) '
          'where vector_dims(embedding) = %1$s', dimensions);
      end $$;
      revoke all on function svc_index_vectors(int) from public;
      grant execute on function svc_index_vectors(int) to svc_app;

      -- Iterative scans go on until enough rows pass the filters and the policy, so that neither makes the answer too short.
      create function svc_nearest_vectors(me text, shards uuid[], wanted_model text, wanted text, dimensions int, at_most int)
        returns table (tenant_id text, chunk_id text, similarity float8) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        perform set_config('hnsw.iterative_scan', 'strict_order', true);
        perform set_config('hnsw.max_scan_tuples', '1000000', true);
        return query execute format(
          'select v.tenant_id, v.chunk_id, 1 - (v.embedding::vector(%1$s) <=> $1::vector(%1$s)) from chunk_vector v '
          'where vector_dims(v.embedding) = %1$s and v.model = $2 and v.shard_id = any($3) '
          'order by v.embedding::vector(%1$s) <=> $1::vector(%1$s) limit $4', dimensions)
          using wanted, wanted_model, shards, at_most;
      end $$;
      grant execute on function svc_nearest_vectors(text, uuid[], text, text, int, int) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_nearest_vectors(text, uuid[], text, text, int, int), svc_index_vectors(int),
        svc_shard_vectors(text, text, uuid, text, bigint);
      drop table chunk_vector;
    `);
  }
}
