-- Writers of a tenant hold this together until their transaction ends; svc_settle_facts waits for them all.
create or replace function svc_enter_facts(me text) returns void language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    -- So that no seq is drawn before the transaction has its number: readers may go by either.
    perform pg_current_xact_id();
    perform pg_advisory_xact_lock_shared(hashtextextended('svc facts ' || me, 0));
  end $$;
