/** Tables with tenant data (a tenant_id column) on which any of the protections is missing. */
export const UNSECURED_TABLES = `
  select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not (
    c.relrowsecurity and c.relforcerowsecurity
    and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_rows'))
  order by 1`;
