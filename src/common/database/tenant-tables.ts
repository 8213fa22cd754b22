/**
 * The tables with a tenant's rows but `tenant` itself, each after those that refer to it. From the catalogue, so that
 * no table is forgotten.
 */
export const TENANT_TABLES = `
  with recursive owned as (
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.oid <> 'public.tenant'::regclass
  ), placed (oid, depth) as (
    select oid, 0 from owned
    union
    select k.conrelid, p.depth + 1 from placed p
      join pg_constraint k on k.confrelid = p.oid and k.contype = 'f' and k.conrelid <> k.confrelid
    where p.depth < 100
  )
  select oid::regclass::text as name from owned join placed using (oid) group by oid order by max(depth) desc, 1`;
