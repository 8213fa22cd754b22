-- How many rows of each table svc_find_subject found, and up to ten ids of each; records of the log apart.
create or replace function svc_found_rows(me text) returns table (name text, found bigint, samples text[])
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    rule record;
  begin
    perform set_config('svc.erased_tenant', me, true);
    return query select 'fact', count(*), (array_agg(f.fact_id::text order by f.seq))[1:10] from fact f join pg_temp.erase_chain c using (chain) where f.tenant_id = me;
    return query select 'document_version', count(*), (array_agg(v.corpus_id || '/' || v.doc_id || '@' || v.version order by v.corpus_id, v.doc_id, v.version))[1:10]
      from document_version v join pg_temp.erase_document d using (corpus_id, doc_id) where v.tenant_id = me;
    return query select 'chunk', count(*), (array_agg(k.chunk_id order by k.chunk_id))[1:10] from chunk k join pg_temp.erase_document d using (corpus_id, doc_id) where k.tenant_id = me;
    return query select 'chunk_vector', count(*), (array_agg(v.chunk_id order by v.chunk_id))[1:10] from chunk_vector v join chunk k on k.tenant_id = v.tenant_id and k.chunk_id = v.chunk_id
      join pg_temp.erase_document d on d.corpus_id = k.corpus_id and d.doc_id = k.doc_id where v.tenant_id = me;
    return query select 'ingest', count(*), (array_agg(i.ingest_id::text order by i.ingest_id))[1:10] from ingest i join pg_temp.erase_document d using (corpus_id, doc_id) where i.tenant_id = me;
    return query select 'document', count(*), (array_agg(o.corpus_id || '/' || o.doc_id order by o.corpus_id, o.doc_id))[1:10] from document o join pg_temp.erase_document d using (corpus_id, doc_id) where o.tenant_id = me;
    -- All of the tenant's: each holds words of other facts too, and is made again.
    return query select 'fact_segment', count(*), null::text[] from fact_segment s where s.tenant_id = me and exists (select from pg_temp.erase_chain);
    return query select 'graph_entity_version', count(*), (array_agg(e.kind || ':' || e.id || '@' || e.version order by e.kind, e.id, e.version))[1:10]
      from graph_entity_version e join pg_temp.erase_node n using (kind, id) where e.tenant_id = me;
    return query select 'graph_entity', count(*), (array_agg(e.kind || ':' || e.id order by e.kind, e.id))[1:10] from graph_entity e join pg_temp.erase_node n using (kind, id) where e.tenant_id = me;
    for rule in select e.target, count(*) as found from pg_temp.erase_row e group by 1 order by 1 loop
      return query execute format('select %L::text, $1::bigint, array(select concat_ws(''/'', %s) from %I r join pg_temp.erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin limit 10)',
        rule.target, (select string_agg(format('r.%I', a.attname), ', ' order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
          where i.indrelid = to_regclass('public.' || rule.target) and i.indisprimary and a.attname <> 'tenant_id'), rule.target, rule.target) using rule.found;
    end loop;
  end $$;
