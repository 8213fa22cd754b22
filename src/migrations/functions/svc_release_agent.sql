-- Ends an agent of this sponsor, once. Called in the sponsor's unit of work and gives it back as it was.
create or replace function svc_release_agent(wanted_agent uuid, sponsor text, acting text, why text) returns boolean
  language plpgsql as $$
      declare
        ended boolean;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        update agent a set ended_at = now(), ended_by = acting, end_reason = why
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.sponsor_tenant_id = sponsor and a.ended_at is null;
        ended := found;
        perform set_config('svc.tenant_id', sponsor, true);
        return ended;
      end $$;
