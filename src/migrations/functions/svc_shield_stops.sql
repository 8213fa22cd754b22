-- The switches of a tenant that deny all of it, or all of a principal: one round trip for a process that does not know
-- them yet.
create or replace function svc_shield_stops(me text)
  returns table (kill_switch_id uuid, principal text, include_reads boolean, reason text)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.kill_switch_id, s.target, s.include_reads, s.reason from shield_kill_switch s
      where s.tenant_id = me and s.lifted_at is null and s.mode = 'deny' and s.scope in ('tenant', 'principal')
        and (s.expires_at is null or s.expires_at > statement_timestamp());
  end $$;
