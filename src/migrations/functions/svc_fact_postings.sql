-- Slices of segments' postings. A segment that is gone gives no row.
create or replace function svc_fact_postings(me text, wanted uuid[], firsts bigint[], ends bigint[])
  returns table (number bigint, postings bytea)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select w.number, substring(s.postings from (w.first + 1)::int for (w.after - w.first)::int)
      from unnest(wanted, firsts, ends) with ordinality w(segment_id, first, after, number)
      join fact_segment s on s.tenant_id = me and s.segment_id = w.segment_id;
  end $$;
