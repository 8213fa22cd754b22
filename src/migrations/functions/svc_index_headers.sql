-- For programs from before 1795931000000: svc_index_segments took its place.
-- Look-ups by key: a plan made while a table was small must not read it whole when it has grown.
create or replace function svc_index_headers(me text, wanted_tenants text[], wanted uuid[])
  returns table (segment_id uuid, header bytea, digest bytea)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, s.header, s.digest from unnest(wanted_tenants, wanted) w(tenant_id, segment_id)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id;
      end $$;
