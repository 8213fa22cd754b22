-- The rows of terms in segments. A segment that is gone gives no row; a posting that is gone gives a null.
create or replace function svc_index_postings(me text, wanted_tenants text[], wanted uuid[], wanted_terms text[])
  returns table (segment_id uuid, term text, postings bytea)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, w.term, p.postings
          from unnest(wanted_tenants, wanted, wanted_terms) w(tenant_id, segment_id, term)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id
          left join index_posting p on p.tenant_id = s.tenant_id and p.segment_id = s.segment_id and p.term = w.term;
      end $$;
