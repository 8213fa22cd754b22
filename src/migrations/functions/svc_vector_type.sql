-- The type by which an index of so many dimensions compares vectors: pgvector indexes up to 2000 of four bytes each, and
-- up to 4000 of two bytes each where it has them. Beyond that every vector is compared.
create or replace function svc_vector_type(dimensions int) returns text language sql stable as $$
  select case when dimensions between 2001 and 4000 and to_regtype('halfvec') is not null then 'halfvec' else 'vector' end
  $$;
