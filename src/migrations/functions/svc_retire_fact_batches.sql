-- svc_retire_fact_batch for several chains with one receipt: the tombstones are its leaves, in the order of the list.
-- Each deletion: chain (hexadecimal), fact_id, version, actor, written_by. The caller holds the heads of the chains.
create or replace function svc_retire_fact_batches(me text, deletions json, batch json) returns void
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    batch_id uuid := batch ->> 'receipt_id';
    began timestamptz := batch ->> 'occurred_at';
    one record;
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    for one in select d.deletion, d.place::int - 1 as leaf from json_array_elements(deletions) with ordinality d (deletion, place) order by d.place loop
      perform svc_retire_chain(me, decode(one.deletion ->> 'chain', 'hex'), one.deletion, batch_id, one.leaf, began);
    end loop;
  end $$;
