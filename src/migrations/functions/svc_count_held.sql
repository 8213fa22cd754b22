-- What one of a tenant's holds pins: of each table that is under the holds, its rows and how many entities they are of.
-- Tables without any are left out.
create or replace function svc_count_held(me text, wanted_hold uuid) returns table (table_name text, row_count bigint, entity_count bigint)
  language plpgsql stable as $$
  declare
    prefixes text[];
    pinned record;
  begin
    perform set_config('svc.tenant_id', me, true);
    select h.entity_prefixes into prefixes from legal_hold h where h.tenant_id = me and h.hold_id = wanted_hold;
    for pinned in
      -- Arguments of triggers end with a zero byte each.
      select c.relname, split_part(encode(t.tgargs, 'escape'), '\000', 1) as names
      from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'legal_hold' order by c.relname
    loop
      table_name := pinned.relname;
      execute format('select count(distinct r.ctid), count(distinct e.name) from %I r, unnest(%s) e (name)
        where r.tenant_id = $1 and ($2 = ''{}'' or exists (select from unnest($2) prefix where starts_with(e.name, prefix)))', pinned.relname, pinned.names)
        into row_count, entity_count using me, prefixes;
      if row_count > 0 then
        return next;
      end if;
    end loop;
  end $$;
