-- For processes of the release before: svc_authenticate_agent took its place.
create or replace function svc_find_agent(wanted_agent uuid, wanted_hash bytea)
  returns table (expires_at timestamptz, sponsor_tenant_id text, tier text)
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
          select known.expires_at, known.sponsor_tenant_id, t.tier from tenant t
          where t.tenant_id = coalesce(known.sponsor_tenant_id, known.tenant_id) and t.state = 'active';
      end $$;
