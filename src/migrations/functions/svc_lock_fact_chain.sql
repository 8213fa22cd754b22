-- The last record of a chain that is not deleted, locked until the transaction ends; no row for any other.
create or replace function svc_lock_fact_chain(me text, of_chain bytea)
  returns table (owner text, entity text, key text, version int, confidence real, horizon_class text, stored_at timestamptz)
  language plpgsql set enable_seqscan = off as $$
  begin
    perform svc_enter_facts(me);
    perform 1 from fact_head h where h.tenant_id = me and h.chain = of_chain for update;
    return query select f.owner, f.entity, f.key, f.version, f.confidence, f.horizon_class, f.stored_at
      from fact_head h join fact f on f.tenant_id = me and f.seq = h.seq
      where h.tenant_id = me and h.chain = of_chain and h.records > 0;
  end $$;
