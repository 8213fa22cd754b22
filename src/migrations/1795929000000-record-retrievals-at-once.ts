import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a retrieval leaves behind is written by one statement. */
export class RecordRetrievalsAtOnce1795929000000 implements MigrationInterface {
  name = 'RecordRetrievalsAtOnce1795929000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REMEMBER_RETRIEVALS);
    await runner.query(RECORD_RETRIEVALS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_record_retrievals(text, json, json), svc_remember_retrievals(json)');
  }
}

/** As they were made first; functions/ has them as they are. */
const REMEMBER_RETRIEVALS = `
  create function svc_remember_retrievals(retrievals json) returns void
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
  grant execute on function svc_remember_retrievals(json) to svc_app, svc_operator;
`;

const RECORD_RETRIEVALS = `
  create function svc_record_retrievals(me text, receipts json, retrievals json) returns void
    language plpgsql set plan_cache_mode = force_generic_plan as $$
    begin
      perform set_config('svc.tenant_id', me, true);
      with r as materialized (
        select * from json_to_recordset(receipts)
          r(digest bytea, record bytea, actor text, occurred_at timestamptz, session text)
      ), logged as (
        insert into log_pending (record_type, record_digest) select 'retrieval', digest from r
      )
      insert into retrieval_receipt (tenant_id, record_digest, record, actor, occurred_at, session)
        select me, digest, record, actor, occurred_at, session from r;
      if json_array_length(retrievals) = 0 then
        return;
      end if;
      insert into retrieval (tenant_id, retrieval_id, agent_id, lane, request, results, receipt_id, execution_receipt_id,
          created_at)
        select me, "retrievalId", "agentId", lane, request, results, "receiptId", "executionReceiptId", "createdAt"
        from json_to_recordset(retrievals) r("retrievalId" uuid, "agentId" text, lane text, request jsonb, results jsonb,
          "receiptId" text, "executionReceiptId" uuid, "createdAt" timestamptz);
      perform svc_remember_retrievals(retrievals);
    end $$;
  grant execute on function svc_record_retrievals(text, json, json) to svc_app;
`;
