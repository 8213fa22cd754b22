-- As svc_store_fact_batch, of requests that name sessions: those that asked for it get steps, in the same transaction.
create or replace function svc_store_observed_facts(me text, rounds json, batch json, steps jsonb)
  returns table (by_place int, replaced_id uuid, beginning text, is_cut boolean, replaced_version int, replaced_at timestamptz)
  language plpgsql as $$
  begin
    return query select * from svc_store_fact_batch(me, rounds, batch);
    perform svc_add_auto_steps(me, steps);
  end $$;
