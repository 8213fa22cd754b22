-- The first tenant wins; whoever comes later gets what it found. Called in the sponsor's unit of work and gives it
-- back as it was.
create or replace function svc_sponsor_agent(wanted_agent uuid, sponsor text, wanted_tier text, acting text)
  returns table (claimed boolean, sponsor_tenant_id text, sponsor_tier text, sponsored_at timestamptz,
    is_over boolean)
  language plpgsql as $$
      declare
        won boolean;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        update agent a set sponsor_tenant_id = sponsor, sponsor_tier = wanted_tier, sponsored_at = now(), sponsored_by = acting
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.sponsor_tenant_id is null
            and a.ended_at is null and a.expires_at > now();
        won := found;
        return query
          select won, a.sponsor_tenant_id, a.sponsor_tier, a.sponsored_at, a.ended_at is not null or a.expires_at <= now() from agent a
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent;
        perform set_config('svc.tenant_id', sponsor, true);
      end $$;
