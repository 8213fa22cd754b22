-- Deletes a chain: a tombstone supersedes its last record, and all its records leave the lists. deletion: fact_id,
-- version, actor, written_by. batch: the receipt, as svc_add_fact_batch takes it, with the tombstone as its only leaf.
-- The caller holds the chain's head.
create or replace function svc_retire_fact_batch(me text, of_chain bytea, deletion json, batch json) returns void
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    perform svc_retire_chain(me, of_chain, deletion, (batch ->> 'receipt_id')::uuid, 0, (batch ->> 'occurred_at')::timestamptz);
  end $$;
