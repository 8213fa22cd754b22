-- Notes that the agents of the rows that were added are active; the trigger's argument says in what. Nobody waits for
-- it: a row that another transaction holds is being noted anyway, and so is an agent that another one is noting first.
-- As the owner, since rows are added by several roles.
create or replace function svc_note_activity() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    what text := tg_argv[0];
  begin
    with active as materialized (
      select distinct tenant_id, agent_id from added where agent_id is not null
    ), free as (
      select k.tenant_id, k.agent_id from agent_activity k join active using (tenant_id, agent_id)
      -- A call that also moves credits is not about them; one of the same kind is noted every ten seconds.
      where k.last_active_at < now() - case when k.kind = what then interval '10 seconds' else interval '0' end
        or k.last_active_at = now() and k.kind <> what and what <> 'credits'
      for update of k skip locked
    ), moved as (
      update agent_activity k set last_active_at = now(), kind = what from free f
      where k.tenant_id = f.tenant_id and k.agent_id = f.agent_id
    )
    insert into agent_activity (tenant_id, agent_id, last_active_at, kind)
    select a.tenant_id, a.agent_id, now(), what from active a
    where not exists (select from agent_activity k where k.tenant_id = a.tenant_id and k.agent_id = a.agent_id)
      and pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array('agent activity', a.tenant_id, a.agent_id)::text, 0))
    on conflict do nothing;
    return null;
  end $$;
