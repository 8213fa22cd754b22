-- An index needs the number of dimensions, which only the first answer of the embeddings endpoint shows.
create or replace function svc_index_vectors(dimensions int) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        type constant text := svc_vector_type(dimensions);
        most constant int := case type when 'halfvec' then 4000 else 2000 end;
        indexed text;
      begin
        if dimensions not between 1 and most then
          return;
        end if;
        foreach indexed in array array['chunk_vector', 'memory_vector'] loop
          execute format(
            'create index if not exists %1$s_%2$s on %1$s using hnsw ((embedding::%3$s(%2$s)) %3$s_cosine_ops) '
            'where vector_dims(embedding) = %2$s', indexed, dimensions, type);
        end loop;
      end $$;
