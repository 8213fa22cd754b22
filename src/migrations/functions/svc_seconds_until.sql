create or replace function svc_seconds_until(moment timestamptz) returns int language sql as $$
        select greatest(0, ceil(extract(epoch from moment - clock_timestamp())))::int;
      $$;
