create or replace function svc_end_key() returns trigger language plpgsql as $$
      begin
        insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'key:' || new.key_id, 'key revoked');
        return null;
      end $$;
