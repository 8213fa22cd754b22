-- Forced row-level security: without a tenant nothing is there; with one, only its rows. svc_operator sees all tenants'
-- rows. The owner reaches those of a tenant that is being erased (svc_erase_rows).
create or replace function svc_secure_table(target regclass) returns void language plpgsql as $$
      begin
        execute format('alter table %s enable row level security', target);
        execute format('alter table %s force row level security', target);
        execute format(
          'create policy tenant_rows on %s to svc_app using (tenant_id = nullif(current_setting(''svc.tenant_id'', true), '''')) '
          'with check (tenant_id = nullif(current_setting(''svc.tenant_id'', true), ''''))', target);
        execute format('create policy operator_rows on %s to svc_operator using (true) with check (true)', target);
        execute format(
          'create policy erased_rows on %s to current_user using (tenant_id = nullif(current_setting(''svc.erased_tenant'', true), ''''))', target);
        perform svc_grant_table(target);
      end $$;
