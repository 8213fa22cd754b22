-- Adds the receipts of retrievals, hands them to the log, and stores the retrievals, each as the last of its agent. It
-- sets the tenant itself, so that it can be called alone. receipts: digest, record, actor, occurred_at, session;
-- retrievals: as svc_remember_retrievals takes them, and receiptId, executionReceiptId.
create or replace function svc_record_retrievals(me text, receipts json, retrievals json) returns void
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
