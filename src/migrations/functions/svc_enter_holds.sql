-- Before a legal hold is placed or released, its transaction shares the lock that a placing takes alone: who takes it
-- alone sees every change of holds committed, or none of it.
create or replace function svc_enter_holds() returns trigger language plpgsql as $$
  begin
    perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
      'svc holds ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
    return null;
  end $$;
