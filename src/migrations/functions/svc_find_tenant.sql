-- What the memory daemon asks of a tenant before it works in it; no row where nobody registered it.
create or replace function svc_find_tenant(wanted_tenant text) returns table (state text)
  language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query select t.state from tenant t where t.tenant_id = wanted_tenant;
      end $$;
