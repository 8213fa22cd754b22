create or replace function svc_end_seat() returns trigger language plpgsql as $$
      begin
        insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'seat:' || new.seat_id,
          case when new.status = 'revoked' then 'seat revoked' else 'role changed' end);
        return null;
      end $$;
