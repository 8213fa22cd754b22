-- What the memory daemon asks of the passport of a request before it works in a tenant.
create or replace function svc_find_passport(wanted_tenant text, wanted_passport text) returns table (standing text, attested boolean)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', wanted_tenant, true);
    return query select case when p.revoked_at is null then 'registered' else 'revoked' end, p.attested
      from passport p where p.tenant_id = wanted_tenant and p.passport_id = wanted_passport;
    if not found then
      return query select 'unregistered', false;
    end if;
  end $$;
