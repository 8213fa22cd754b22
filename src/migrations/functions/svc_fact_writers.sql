-- For programs from before 1795946000000: svc_row_writers took its place.
create or replace function svc_fact_writers(me text) returns table (writer text) language sql as $$
    select w.writer from svc_row_writers(me, 'facts') w
  $$;
