-- Segments by key, and with those of at most so many chunks all their postings: small ones are read whole by one
-- statement. A segment that is gone gives no row, and one that is larger no rows of postings.
create or replace function svc_index_segments(me text, wanted_tenants text[], wanted uuid[], whole_up_to int)
  returns table (segment_id uuid, header bytea, digest bytea, row_names text[], row_sizes int[], postings bytea)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, s.header, s.digest, whole.row_names, whole.row_sizes, whole.postings
          from unnest(wanted_tenants, wanted) w(tenant_id, segment_id)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id
          left join lateral (
            select coalesce(array_agg(p.term), '{}') as row_names, coalesce(array_agg(octet_length(p.postings)), '{}') as row_sizes,
              coalesce(string_agg(p.postings, ''::bytea), ''::bytea) as postings
            from index_posting p where p.tenant_id = s.tenant_id and p.segment_id = s.segment_id
          ) whole on s.chunk_count <= whole_up_to;
      end $$;
