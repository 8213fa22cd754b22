-- Before a statement changes what sync carries, its transaction shows that it writes: it shares the lock of
-- svc_enter_facts until it ends, and what applies records of a peer waits for it (svc_settle_facts). One lock for all
-- collections, so that no two writers wait for each other.
create or replace function svc_enter_sync() returns trigger language plpgsql as $$
  begin
    perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
      'svc facts ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
    return null;
  end $$;
