-- A search's first round trip: what is committed beyond the segments and not among the known seqs, at most so many and
-- about 16 MB, and in the last row where the index stands, with its segments when its generation is not the known one.
create or replace function svc_fact_index(me text, known_generation bigint, known int8multirange, most int)
  returns table (seq bigint, visibility smallint, owner text, entity text, key text, value text,
    stored_at timestamptz, confidence real, horizon_class text, retires bigint, tombstone boolean, generation bigint,
    sealed_seq bigint, segments json, more boolean)
  language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
