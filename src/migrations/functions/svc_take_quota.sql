-- Takes one request out of the bucket of a principal for a surface. Buckets are full again at the beginning of each
-- window of the database's clock; of one that is empty nothing is taken. Its commit does not wait for the disk: what a
-- crash of the database loses is a fifth of a second of counts.
create or replace function svc_take_quota(me text, taken_by text, of_surface text, bucket int, seconds int)
  returns table (admitted boolean, used int, ends_in int) language plpgsql as $$
  declare
    starts timestamptz := to_timestamp(floor(extract(epoch from clock_timestamp()) / seconds) * seconds);
    taken int;
  begin
    perform set_config('svc.tenant_id', me, true), set_config('synchronous_commit', 'off', true);
    insert into quota_window as w (tenant_id, principal, surface, window_start, window_seconds, used)
      values (me, taken_by, of_surface, starts, seconds, 1)
      on conflict (tenant_id, principal, surface, window_seconds, window_start) do update set used = w.used + 1 where w.used < bucket
      returning w.used into taken;
    return query select taken is not null, coalesce(taken, bucket),
      greatest(1, ceil(extract(epoch from starts + make_interval(secs => seconds) - clock_timestamp())))::int;
  end $$;
