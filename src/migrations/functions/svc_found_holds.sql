-- The active legal holds that refuse the removal of what svc_find_subject found: of the rows that go, and of those that
-- are emptied where that takes content. The triggers say which entities a row is of, as svc_keep_held reads them.
create or replace function svc_found_holds(me text) returns uuid[]
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    found uuid[] := '{}';
    holds uuid[];
    pinned record;
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    if not exists (select from legal_hold h where h.tenant_id = me and h.released_at is null) then
      return found;
    end if;
    perform set_config('svc.erased_tenant', me, true);
    for pinned in
      -- Arguments of triggers end with a zero byte each.
      select c.relname::text as name, split_part(encode(t.tgargs, 'escape'), '\000', 1) as entities,
        case
          when c.relname in ('fact', 'fact_head') then 'r.chain in (select e.chain from pg_temp.erase_chain e)'
          when c.relname in ('document', 'document_version', 'chunk', 'ingest') then '(r.corpus_id, r.doc_id) in (select e.corpus_id, e.doc_id from pg_temp.erase_document e)'
          when c.relname in ('graph_entity', 'graph_entity_version') then '(r.kind, r.id) in (select e.kind, e.id from pg_temp.erase_node e)'
          else format('r.ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and exists (
              select from pg_temp.erase_row e where e.target = %L and e.place = r.ctid and e.seen = r.xmin)', c.relname, c.relname) end as chosen
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join pg_trigger u on u.tgrelid = t.tgrelid and u.tgname = 'legal_hold_update'
        left join svc_erasure_rules() rule on rule.name = c.relname
      where t.tgname = 'legal_hold' and (rule.effect is distinct from 'blank' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = any(rule.blanks) and a.attnum = any(u.tgattr::int2[])))
    loop
      execute format('select array_agg(distinct h) from %I r cross join lateral unnest(svc_holds_on_any($1, %s)) h where r.tenant_id = $1 and %s',
        pinned.name, pinned.entities, pinned.chosen) into holds using me;
      found := found || coalesce(holds, '{}');
    end loop;
    return array(select distinct h from unnest(found) h order by h);
  end $$;
