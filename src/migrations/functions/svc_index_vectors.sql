-- An index needs the number of dimensions, which only the first answer of the embeddings endpoint shows. Beyond 2000
-- pgvector has none.
create or replace function svc_index_vectors(dimensions int) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if dimensions not between 1 and 2000 then
          return;
        end if;
        execute format(
          'create index if not exists chunk_vector_%1$s on chunk_vector using hnsw ((embedding::vector(%1$s)) vector_cosine_ops) '
          'where vector_dims(embedding) = %1$s', dimensions);
      end $$;
