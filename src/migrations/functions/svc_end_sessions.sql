create or replace function svc_end_sessions() returns trigger language plpgsql as $$
      begin
        update session set ended_at = now() where tenant_id = new.tenant_id and principal = new.principal and ended_at is null;
        return null;
      end $$;
