create or replace function svc_utc_month() returns date language sql stable as $$
    select date_trunc('month', now() at time zone 'UTC')::date
  $$;
