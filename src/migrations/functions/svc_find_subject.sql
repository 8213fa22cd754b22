-- Finds what an erasure removes, into temporary tables of this transaction, which only the functions of the erasure
-- read: the report and the removal are of the same rows. A row is known by its place and by who wrote it there, since
-- the place of one that ends meanwhile is soon that of another. selector: entities, entity_prefixes, fact_ids,
-- documents ({corpus_id, doc_id}), principals, texts; each a list. The application may ask for the tenant of its unit
-- of work.
create or replace function svc_find_subject(me text, selector jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    sep constant text := chr(1);
    entities text[] := array(select jsonb_array_elements_text(selector -> 'entities'));
    prefixes text[] := array(select jsonb_array_elements_text(selector -> 'entity_prefixes'));
    principals text[] := array(select jsonb_array_elements_text(selector -> 'principals'));
    texts text[] := array(select jsonb_array_elements_text(selector -> 'texts'));
    rule record;
    link record;
    turn int := 0;
    more int;
    found_now int;
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    perform set_config('svc.erased_tenant', me, true);
    drop table if exists pg_temp.erase_term, pg_temp.erase_text, pg_temp.erase_row, pg_temp.erase_chain, pg_temp.erase_document, pg_temp.erase_node, pg_temp.erase_record;
    create temporary table erase_term (term text collate "C" primary key, turn int not null) on commit drop;
    create temporary table erase_text (wanted text not null, hex text not null) on commit drop;
    create temporary table erase_row (target text not null, place tid not null, seen xid not null, turn int not null, primary key (target, place)) on commit drop;
    create temporary table erase_chain (chain bytea primary key) on commit drop;
    create temporary table erase_document (corpus_id text, doc_id text, primary key (corpus_id, doc_id)) on commit drop;
    create temporary table erase_node (kind text, id text, primary key (kind, id)) on commit drop;
    create temporary table erase_record (name text primary key) on commit drop;
    insert into erase_text select distinct t, encode(convert_to(t, 'UTF8'), 'hex') from unnest(texts) t;

    insert into erase_chain select h.chain from fact_head h
      where h.tenant_id = me and (h.entity = any(entities) or exists (select from unnest(prefixes) p where starts_with(h.entity, p)))
      on conflict do nothing;
    insert into erase_chain select f.chain from fact f
      where f.tenant_id = me and f.fact_id in (select i::uuid from jsonb_array_elements_text(selector -> 'fact_ids') i) on conflict do nothing;
    if cardinality(principals) > 0 then
      insert into erase_chain select f.chain from fact f
        where f.tenant_id = me and (f.actor = any(principals) or f.written_by = any(principals) or f.owner = any(principals)) on conflict do nothing;
    end if;
    if cardinality(texts) > 0 then
      insert into erase_chain select f.chain from fact f where f.tenant_id = me and exists (select from erase_text t
        where position(t.wanted in f.entity) > 0 or position(t.wanted in f.key) > 0 or position(t.wanted in f.value) > 0
          or position(t.wanted in f.actor) > 0 or position(t.wanted in coalesce(f.written_by, '')) > 0 or position(t.wanted in f.owner) > 0) on conflict do nothing;
      insert into erase_document select v.corpus_id, v.doc_id from document_version v where v.tenant_id = me
        and exists (select from svc_names_in(to_jsonb(v) - 'tenant_id' - 'corpus_id') n, erase_text t where position(t.wanted in n) > 0) on conflict do nothing;
      insert into erase_node select v.kind, v.id from graph_entity_version v where v.tenant_id = me
        and exists (select from svc_names_in(to_jsonb(v) - 'tenant_id') n, erase_text t where position(t.wanted in n) > 0) on conflict do nothing;
    end if;
    insert into erase_document select d.corpus_id, d.doc_id from document d
      join jsonb_to_recordset(selector -> 'documents') s (corpus_id text, doc_id text) on s.corpus_id = d.corpus_id and s.doc_id = d.doc_id
      where d.tenant_id = me on conflict do nothing;
    -- What a call of local ingest sealed holds the texts of all its documents.
    insert into erase_row select 'sealed_segment', s.ctid, s.xmin, 0 from sealed_segment s
      where s.tenant_id = me and s.receipt_id in (select i.receipt_id from ingest i join erase_document d using (corpus_id, doc_id) where i.tenant_id = me);
    -- So does a copy of what another node sealed, whose documents are not known here but by the ids in its frames (docs/formats/segments.md).
    insert into erase_row select 'replicated_segment', s.ctid, s.xmin, 0 from replicated_segment s
      join (select * from jsonb_to_recordset(selector -> 'documents') d (corpus_id text, doc_id text) union select * from erase_document) d on d.corpus_id = s.corpus_id
      cross join lateral (select convert_to(d.doc_id, 'UTF8') as id) u
      where s.tenant_id = me and position('\x66646f635f6964'::bytea || case when length(u.id) < 24 then set_byte('\x00', 0, 96 + length(u.id))
        when length(u.id) < 256 then set_byte('\x7800', 1, length(u.id)) else '\x79'::bytea || substr(int4send(length(u.id)), 3) end || u.id in s.frames) > 0 on conflict do nothing;
    insert into erase_node select e.kind, e.id from graph_entity e
      where e.tenant_id = me and (e.id = any(entities) or e.kind || ':' || e.id = any(entities)
        or exists (select from unnest(prefixes) p where starts_with(e.id, p))) on conflict do nothing;
    insert into erase_row select 'graph_edge', g.ctid, g.xmin, 0 from graph_edge g where g.tenant_id = me and (
      exists (select from erase_node n where (n.kind, n.id) in ((g.from_kind, g.from_id), (g.to_kind, g.to_id)))
      or exists (select from svc_names_in(to_jsonb(g) - 'tenant_id') n, erase_text t where position(t.wanted in n) > 0));

    insert into erase_term select distinct f.fact_id::text, 0 from fact f join erase_chain using (chain) where f.tenant_id = me on conflict do nothing;
    insert into erase_term select 'entity' || sep || e, 0 from unnest(entities) e on conflict do nothing;
    insert into erase_term select distinct 'entity' || sep || h.entity, 0 from fact_head h join erase_chain using (chain)
      where h.tenant_id = me and exists (select from unnest(prefixes) p where starts_with(h.entity, p)) on conflict do nothing;
    insert into erase_term select 'by' || sep || p, 0 from unnest(principals) p on conflict do nothing;
    insert into erase_term select 'document' || sep || s.corpus_id || sep || s.doc_id, 0
      from (select * from jsonb_to_recordset(selector -> 'documents') s (corpus_id text, doc_id text) union select * from erase_document) s on conflict do nothing;
    insert into erase_term select 'node' || sep || n.kind || sep || n.id, 0 from erase_node n on conflict do nothing;
    insert into erase_term select 'stream' || sep || s.stream_type || sep || s.stream_id, 0 from stream_head s
      where s.tenant_id = me and (s.stream_id = any(entities) or s.stream_type || '/' || s.stream_id = any(entities)
        or exists (select from unnest(prefixes) p where starts_with(s.stream_id, p))) on conflict do nothing;
    insert into erase_term select distinct c.chunk_id, 0 from chunk c join erase_document d using (corpus_id, doc_id) where c.tenant_id = me on conflict do nothing;
    insert into erase_term select distinct i.ingest_id::text, 0 from ingest i join erase_document d using (corpus_id, doc_id) where i.tenant_id = me on conflict do nothing;
    insert into erase_record select distinct i.receipt_id::text from ingest i join erase_document d using (corpus_id, doc_id)
      where i.tenant_id = me and i.receipt_id is not null
        -- That of a batch is of other documents too, and names none.
        and not exists (select from ingest_batch b where b.tenant_id = me and b.receipt_id = i.receipt_id) on conflict do nothing;

    -- Rows that name it, then rows that name those, until nothing is added.
    loop
      for rule in select r.* from svc_erasure_rules() r where r.effect in ('delete', 'blank') loop
        execute format(
          'insert into erase_row select %L, r.ctid, r.xmin, $2 from %I r where r.tenant_id = $1 and exists (
             select from svc_names_in(case when $3 then to_jsonb(r) - ''tenant_id'' else (select jsonb_object_agg(c, to_jsonb(r) -> c) from unnest($4) c) end) n where
               exists (select from erase_term t where t.term = n and t.turn = $2)
               or ($2 = 0 and exists (select from erase_text t where position(t.wanted in n) > 0 or (starts_with(n, ''\x'') and position(t.hex in n) > 0))))
           on conflict do nothing', rule.name, rule.name) using me, turn, rule.effect = 'delete', rule.blanks;
      end loop;
      -- Rows that refer to one that goes, and those that go with a part of theirs.
      loop
        more := 0;
        for link in
          select c.relname as child, p.relname as parent, a.up, (select string_agg(format('o.%I = r.%I', y.attname, x.attname), ' and ')
              from unnest(k.conkey, k.confkey) as pair (child_no, parent_no)
                join pg_attribute y on y.attrelid = k.conrelid and y.attnum = pair.child_no
                join pg_attribute x on x.attrelid = k.confrelid and x.attnum = pair.parent_no) as condition
          from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
            join svc_erasure_rules() a on a.name = c.relname join svc_erasure_rules() b on b.name = p.relname
          where k.contype = 'f' and k.conrelid <> k.confrelid and b.effect = 'delete' and a.effect = 'delete'
        loop
          execute format('insert into erase_row select %L, o.ctid, o.xmin, $1 from %I o join %I r on %s join erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin
            on conflict do nothing', link.child, link.child, link.parent, link.condition, link.parent) using turn;
          get diagnostics found_now = row_count;
          more := more + found_now;
          if link.up then
            execute format('insert into erase_row select %L, r.ctid, r.xmin, $1 from %I o join %I r on %s join erase_row e on e.target = %L and e.place = o.ctid and e.seen = o.xmin
              on conflict do nothing', link.parent, link.child, link.parent, link.condition, link.child) using turn;
            get diagnostics found_now = row_count;
            more := more + found_now;
          end if;
        end loop;
        exit when more = 0;
      end loop;
      more := 0;
      for rule in select r.* from svc_erasure_rules() r where r.effect = 'delete' and r.names <> '{}' loop
        execute format(
          'insert into erase_term select distinct n, $1 + 1 from %I r join erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin and e.turn = $1
             cross join lateral (select to_jsonb(r) ->> c as n from unnest($2) c where c like ''%%\_id''
               union select n from svc_names_in(to_jsonb(r) - ''tenant_id'') n where position(chr(1) in n) > 0 and split_part(n, chr(1), 1) = any($2)) named
           where n is not null on conflict do nothing', rule.name, rule.name) using turn, rule.names;
        get diagnostics found_now = row_count;
        more := more + found_now;
      end loop;
      exit when more = 0;
      turn := turn + 1;
    end loop;
    for rule in
      select r.name from svc_erasure_rules() r where r.effect = 'delete' and exists (select from pg_attribute a
        where a.attrelid = to_regclass('public.' || r.name) and a.attname in ('receipt_id', 'execution_receipt_id') and not a.attisdropped)
    loop
      execute format('insert into erase_record select distinct v from %I r join erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin
        cross join lateral (values (to_jsonb(r) ->> ''receipt_id''), (to_jsonb(r) ->> ''execution_receipt_id'')) i (v)
        where v is not null on conflict do nothing', rule.name, rule.name);
    end loop;
  end $$;
