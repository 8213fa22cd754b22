-- The subject's row, locked until the transaction ends; what an hour without attempts has passed over is forgotten.
create or replace function svc_throttle_row(wanted bytea) returns throttle language sql as $$
        insert into throttle as t (subject) values (wanted)
        on conflict (subject) do update set
          attempts = case when t.counted_at < clock_timestamp() - interval '1 hour' then 0 else t.attempts end,
          blocked_until = case when t.counted_at < clock_timestamp() - interval '1 hour' then null else t.blocked_until end
        returning *;
      $$;
