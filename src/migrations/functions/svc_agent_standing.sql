-- What an agent that still acts has left, in one round trip: for every answer to it. With a hash, only where it is that
-- of its bearer.
create or replace function svc_agent_standing(wanted_agent uuid, wanted_hash bytea)
  returns table (sponsor_tenant_id text, sponsored_at timestamptz, credits bigint, queries_today int)
  language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        return query
          select a.sponsor_tenant_id, a.sponsored_at, coalesce(l.balance, 0),
            case when a.query_day = (now() at time zone 'utc')::date then a.day_queries else 0 end
          from agent a left join ledger_account l on l.tenant_id = a.tenant_id and l.account_id = 'agent:' || a.agent_id
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and (wanted_hash is null or a.token_hash = wanted_hash)
            and a.ended_at is null and a.expires_at > now();
      end $$;
