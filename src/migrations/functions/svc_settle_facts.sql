-- The highest seq of the tenant, once no transaction under way can still commit a lower one; 0 for none. Writers wait
-- until the caller's transaction ends, so that it should end soon.
create or replace function svc_settle_facts(me text) returns bigint language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    perform pg_advisory_xact_lock(hashtextextended('svc facts ' || me, 0));
    return coalesce((select max(f.seq) from fact f where f.tenant_id = me), 0);
  end $$;
