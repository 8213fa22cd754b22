-- Whether a row of any tenant table stands under this name, as far as the caller may see: the tenant itself, or the
-- operator role.
create or replace function svc_holds_data(name text) returns boolean
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
  declare
    tenant_table regclass;
    held boolean;
  begin
    for tenant_table in
      select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.oid <> 'public.tenant'::regclass
    loop
      execute format('select exists (select from %s where tenant_id = $1)', tenant_table) into held using name;
      if held then
        return true;
      end if;
    end loop;
    return false;
  end $$;
