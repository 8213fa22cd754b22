-- Stores the last retrieval of each agent, unless a newer one is there, in one order everywhere, so that two writers never
-- wait for each other. retrievals: tenantId, retrievalId, agentId, lane, request, results, createdAt.
create or replace function svc_remember_retrievals(retrievals json) returns void
  language plpgsql set plan_cache_mode = force_generic_plan as $$
  begin
    insert into agent_retrieval as a (tenant_id, agent_id, retrieval_id, lane, request, results, created_at)
      select distinct on ("tenantId", "agentId") "tenantId", "agentId", "retrievalId", lane, request, results, "createdAt"
      from rows from (json_to_recordset(retrievals) as ("tenantId" text, "agentId" text, "retrievalId" uuid, lane text,
          request jsonb, results jsonb, "createdAt" timestamptz)) with ordinality
        as r("tenantId", "agentId", "retrievalId", lane, request, results, "createdAt", place)
      order by "tenantId", "agentId", "createdAt" desc, place desc
      on conflict (tenant_id, agent_id) do update set retrieval_id = excluded.retrieval_id, lane = excluded.lane,
        request = excluded.request, results = excluded.results, created_at = excluded.created_at
      where a.created_at <= excluded.created_at;
  end $$;
