-- One more attempt. From the last free one on the subject is blocked: for first_seconds, then twice as long each time
-- up to most_seconds.
create or replace function svc_throttle_add(wanted bytea, free int, first_seconds int, most_seconds int) returns int
  language sql as $$
        update throttle set attempts = attempts + 1, counted_at = clock_timestamp(),
          blocked_until = case when attempts + 1 >= free
            then clock_timestamp() + least(most_seconds, first_seconds * 2.0 ^ least(attempts + 1 - free, 30)) * interval '1 second' end
        where subject = wanted
        returning attempts;
      $$;
