-- The time up to which no fact of the tenant is missing: from here on none is stored before it. Writers wait until the
-- caller's transaction ends, so that it should end soon.
create or replace function svc_settle_export(me text) returns timestamptz language plpgsql as $$
  declare
    now_settled timestamptz;
  begin
    perform svc_settle_facts(me);
    insert into fact_settled as s (tenant_id, settled_at) values (me, date_trunc('milliseconds', clock_timestamp()))
      on conflict (tenant_id) do update set settled_at = greatest(s.settled_at, excluded.settled_at)
      returning s.settled_at into now_settled;
    return now_settled;
  end $$;
