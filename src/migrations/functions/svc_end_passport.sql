create or replace function svc_end_passport() returns trigger language plpgsql as $$
  begin
    insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'passport:' || new.passport_id, 'passport revoked');
    return null;
  end $$;
