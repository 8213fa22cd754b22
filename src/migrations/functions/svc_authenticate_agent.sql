-- One round trip for the caller guard: enters the discovery tenant, then the sponsor's, for this statement's
-- transaction alone. An agent acts by the lower of its tenant's tier and the one it is sponsored at.
create or replace function svc_authenticate_agent(wanted_agent uuid, wanted_hash bytea)
  returns table (expires_at timestamptz, sponsor_tenant_id text, tier text, state text)
  language plpgsql as $$
      declare
        known agent;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        select a.* into known from agent a
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.token_hash = wanted_hash
            and a.ended_at is null and a.expires_at > now();
        if known.agent_id is null then return; end if;
        perform set_config('svc.tenant_id', coalesce(known.sponsor_tenant_id, known.tenant_id), true);
        return query
          select known.expires_at, known.sponsor_tenant_id, svc_lower_tier(t.tier, known.sponsor_tier), t.state from tenant t
          where t.tenant_id = coalesce(known.sponsor_tenant_id, known.tenant_id);
      end $$;
