-- A seat or agent that lost its right watches no more, and what its watches sent out ends with them. A key's watches
-- are the tenant's own: rotating a key ends none; nor does a change between roles that may watch.
create or replace function svc_end_watches() returns trigger language plpgsql as $$
      begin
        if new.principal like 'key:%' or new.reason = 'role changed' and exists (
          select from seat s where s.tenant_id = new.tenant_id and 'seat:' || s.seat_id = new.principal and s.role <> 'viewer') then
          return null;
        end if;
        with ended as (
          update watch set ended_at = now(), ended_by = new.principal
          where tenant_id = new.tenant_id and principal = new.principal and ended_at is null returning watch_id
        )
        update webhook_endpoint e set deleted_at = now(), deleted_by = new.principal from ended
        where e.tenant_id = new.tenant_id and e.watch_id = ended.watch_id and e.deleted_at is null;
        return null;
      end $$;
