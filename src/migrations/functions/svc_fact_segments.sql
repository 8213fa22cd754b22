create or replace function svc_fact_segments(me text, wanted uuid[])
  returns table ("segmentId" uuid, visibility smallint, "isHistory" boolean, "factCount" int, "retireCount" int,
    header bytea, "headerDigest" bytea, columns bytea, "columnsDigest" bytea)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.segment_id, s.visibility, s.history, s.fact_count, s.retire_count, s.header, s.header_digest, s.columns, s.columns_digest
      from fact_segment s where s.tenant_id = me and s.segment_id = any (wanted);
  end $$;
