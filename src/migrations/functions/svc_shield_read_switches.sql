-- What may stop a read: one round trip for a process that does not know it yet.
create or replace function svc_shield_read_switches(me text)
  returns table (scope text, target text, include_reads boolean)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.scope, s.target, s.include_reads from shield_kill_switch s
      where s.tenant_id = me and s.lifted_at is null and (s.include_reads or s.scope = 'action')
        and (s.expires_at is null or s.expires_at > statement_timestamp());
  end $$;
