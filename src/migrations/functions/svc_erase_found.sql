-- Removes what svc_find_subject found in this transaction, and these records of the log with the digests of their
-- leaves. Rows of records are kept as erased_receipt: place in the chain and digests, nothing of what they said.
-- It locks in the order of all: writers of facts and sync, heads of facts, files, documents, shards of the index.
-- Returns how many rows of each table went, and of the table `index_shard` the shards whose segments must be rewritten.
create or replace function svc_erase_found(me text, by_erasure uuid, receipts uuid[], receipt_leaves bytea[], retrievals bytea[])
  returns table (name text, erased bigint, shards uuid[])
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    nobody constant uuid := '00000000-0000-0000-0000-000000000000';
    one record;
    rule record;
    n bigint;
    touched uuid[];
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    perform set_config('svc.erased_tenant', me, true);
    -- Sync takes this one alone, before that of the holds, which triggers share as rows go.
    perform pg_advisory_xact_lock_shared(hashtextextended('svc facts ' || me, 0));
    perform from fact_head h join pg_temp.erase_chain c using (chain) where h.tenant_id = me order by h.chain for update of h;
    perform from ingest_file f where f.tenant_id = me
      and (exists (select from pg_temp.erase_document d where d.corpus_id = f.corpus_id and d.doc_id = f.doc_id)
        or exists (select from pg_temp.erase_row e where e.target = 'ingest_file' and e.place = f.ctid and e.seen = f.xmin)) order by f.ingest_id for update of f;
    perform from document o join pg_temp.erase_document d using (corpus_id, doc_id) where o.tenant_id = me
      order by o.corpus_id collate "C", o.doc_id collate "C" for update of o;
    -- As ingest sorts them (shardChangesOf).
    perform from index_shard s where s.tenant_id = me and s.corpus_id in (select d.corpus_id from pg_temp.erase_document d)
      order by to_json(array[s.corpus_id, s.shareability])::text collate "C", s.language for update of s;
    if exists (select from pg_temp.erase_chain) then
      for one in
        select s.scope, h.visibility, -sum(h.records) as records, -count(*) filter (where h.records > 0) as current
        from fact_head h join pg_temp.erase_chain using (chain) cross join lateral unnest(case when h.owner = '' then array[''] else array['', h.owner] end) s (scope)
        where h.tenant_id = me group by 1, 2
      loop
        perform svc_count_facts(me, one.scope, one.visibility, one.records::bigint, one.current);
      end loop;
      -- The leaf stays, for the others of the batch; without the id, which is random, nobody can guess what it was of.
      insert into erased_fact (tenant_id, receipt_id, leaf_index, erasure_id)
        select me, f.receipt_id, f.leaf_index, by_erasure from fact f join pg_temp.erase_chain using (chain) where f.tenant_id = me and f.receipt_id is not null;
      update fact_batch b set facts = array(select case when e.leaf_index is null then u.id else nobody end
          from unnest(b.facts) with ordinality u (id, place) left join erased_fact e on e.tenant_id = me and e.receipt_id = b.receipt_id and e.leaf_index = u.place - 1
          order by u.place)
        where b.tenant_id = me and b.receipt_id in (select e.receipt_id from erased_fact e where e.tenant_id = me and e.erasure_id = by_erasure);
      delete from fact f using pg_temp.erase_chain c where f.tenant_id = me and f.chain = c.chain;
      get diagnostics n = row_count;
      return query select 'fact', n, null::uuid[];
      delete from fact_head h using pg_temp.erase_chain c where h.tenant_id = me and h.chain = c.chain;
      -- Segments hold words of what went: all are made again, of what is left.
      delete from fact_segment s where s.tenant_id = me;
      get diagnostics n = row_count;
      return query select 'fact_segment', n, null::uuid[];
      update fact_index i set generation = i.generation + 1, sealed_seq = 0 where i.tenant_id = me;
    end if;

    if exists (select from pg_temp.erase_document) then
      -- Every search passes over the passages from the commit on; the segments are rewritten after.
      with gone as (
        select distinct s.shard_id, c.chunk_id from chunk c join pg_temp.erase_document d using (corpus_id, doc_id)
          join index_shard s on s.tenant_id = me and s.corpus_id = c.corpus_id where c.tenant_id = me
      ), moved as (
        update index_shard s set generation = s.generation + 1 from (select distinct shard_id from gone) g
          where s.tenant_id = me and s.shard_id = g.shard_id returning s.shard_id, s.generation
      ), buried as (
        insert into index_tombstone (tenant_id, shard_id, chunk_id, generation)
          select me, g.shard_id, g.chunk_id, m.generation from gone g join moved m using (shard_id)
          on conflict (tenant_id, shard_id, chunk_id) do update set generation = excluded.generation
      )
      select coalesce(array_agg(m.shard_id), '{}') into touched from moved m;
      return query select 'index_shard', cardinality(touched)::bigint, touched;
      delete from chunk_vector v using chunk c, pg_temp.erase_document d
        where v.tenant_id = me and c.tenant_id = me and c.chunk_id = v.chunk_id and c.corpus_id = d.corpus_id and c.doc_id = d.doc_id;
      get diagnostics n = row_count;
      return query select 'chunk_vector', n, null::uuid[];
      -- As with facts: the leaf stays in its batch, without the id.
      insert into erased_document (tenant_id, receipt_id, leaf_index, erasure_id)
        select me, b.receipt_id, u.place - 1, by_erasure
        from (select i.ingest_id, unnest(array[i.receipt_id, i.completed_id]) as receipt_id
          from ingest i join pg_temp.erase_document d using (corpus_id, doc_id) where i.tenant_id = me) i
        join ingest_batch b on b.tenant_id = me and b.receipt_id = i.receipt_id
        cross join lateral unnest(b.ingests) with ordinality u (id, place) where u.id = i.ingest_id;
      update ingest_batch b set ingests = array(select case when e.leaf_index is null then u.id else nobody end
          from unnest(b.ingests) with ordinality u (id, place) left join erased_document e on e.tenant_id = me and e.receipt_id = b.receipt_id and e.leaf_index = u.place - 1
          order by u.place)
        where b.tenant_id = me and b.receipt_id in (select e.receipt_id from erased_document e where e.tenant_id = me and e.erasure_id = by_erasure);
      for rule in select unnest(array['chunk', 'ingest', 'document_version', 'document']) as name loop
        execute format('delete from %I r using pg_temp.erase_document d where r.tenant_id = $1 and r.corpus_id = d.corpus_id and r.doc_id = d.doc_id', rule.name) using me;
        get diagnostics n = row_count;
        return query select rule.name, n, null::uuid[];
      end loop;
    end if;

    for one in select g.edge_kind as kind, -count(*)::int as less from graph_edge g join pg_temp.erase_row e on e.target = 'graph_edge' and e.place = g.ctid and e.seen = g.xmin
      where g.tenant_id = me and not g.is_deleted group by 1
    loop
      perform svc_count_kind(me, one.kind, 'edge', one.less);
    end loop;
    for one in select x.kind, -count(*)::int as less from graph_entity x join pg_temp.erase_node using (kind, id) where x.tenant_id = me and not x.is_deleted group by 1 loop
      perform svc_count_kind(me, one.kind, 'entity', one.less);
    end loop;
    -- The next segments go on from these, here and on nodes that have copies; and none of these comes back as a copy.
    insert into erased_segment (tenant_id, node_id, segment_seq, digest, erasure_id)
      select me, '', s.segment_seq, s.digest, by_erasure from sealed_segment s join pg_temp.erase_row e on e.target = 'sealed_segment' and e.place = s.ctid and e.seen = s.xmin where s.tenant_id = me
      union all
      select me, s.node_id, s.segment_seq, s.digest, by_erasure from replicated_segment s join pg_temp.erase_row e on e.target = 'replicated_segment' and e.place = s.ctid and e.seen = s.xmin where s.tenant_id = me;
    for rule in
      with recursive placed (name, depth) as (
        select r.name collate "C", 0 from svc_erasure_rules() r where r.effect = 'delete' or r.name = 'graph_edge'
        union
        select c.relname::text collate "C", p.depth + 1 from placed p join pg_constraint k on k.confrelid = to_regclass('public.' || p.name) and k.contype = 'f' and k.conrelid <> k.confrelid
          join pg_class c on c.oid = k.conrelid where p.depth < 20
      )
      select p.name from placed p where exists (select from pg_temp.erase_row e where e.target = p.name) group by 1 order by max(p.depth) desc, 1
    loop
      execute format('delete from %I r where r.ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and r.tenant_id = $1
        and exists (select from pg_temp.erase_row e where e.target = %L and e.place = r.ctid and e.seen = r.xmin)', rule.name, rule.name, rule.name) using me;
      get diagnostics n = row_count;
      return query select rule.name, n, null::uuid[];
    end loop;
    for rule in select unnest(array['graph_entity_version', 'graph_entity']) as name loop
      execute format('delete from %I r using pg_temp.erase_node e where r.tenant_id = $1 and r.kind = e.kind and r.id = e.id', rule.name) using me;
      get diagnostics n = row_count;
      if n > 0 then
        return query select rule.name, n, null::uuid[];
      end if;
    end loop;
    for rule in select r.* from svc_erasure_rules() r where r.effect = 'blank' and exists (select from pg_temp.erase_row e where e.target = r.name) loop
      execute format('update %I r set %s where r.ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and r.tenant_id = $1
          and exists (select from pg_temp.erase_row e where e.target = %L and e.place = r.ctid and e.seen = r.xmin)', rule.name,
        (select string_agg(format('%I = case when %I is null then null else %L::%s end', a.attname, a.attname,
            case format_type(a.atttypid, null) when 'json' then '[]' when 'jsonb' then '[]' when 'text[]' then '{}' else '[erased]' end,
            format_type(a.atttypid, null)), ', ')
          from pg_attribute a where a.attrelid = to_regclass(rule.name) and a.attname = any(rule.blanks)) ||
        -- With the salt of a digest in hand, a guess of what was emptied could be confirmed.
        coalesce((select ', salt = null' from pg_attribute a where a.attrelid = to_regclass(rule.name) and a.attname = 'salt'
          and a.atttypid = 'bytea'::regtype and not a.attnotnull), ''), rule.name, rule.name) using me;
      get diagnostics n = row_count;
      return query select rule.name, n, null::uuid[];
    end loop;

    insert into erased_receipt (tenant_id, record_digest, stream, seq, prev_hash, payload_hash, erasure_id)
      select me, d.digest, r.stream, r.seq, r.prev_hash, r.payload_hash, by_erasure
      from unnest(receipts, receipt_leaves) d (receipt_id, digest) join receipt r on r.tenant_id = me and r.receipt_id = d.receipt_id;
    delete from receipt r where r.tenant_id = me and r.receipt_id = any(receipts);
    get diagnostics n = row_count;
    return query select 'receipt', n, null::uuid[];
    insert into erased_receipt (tenant_id, record_digest, erasure_id)
      select me, r.record_digest, by_erasure from retrieval_receipt r where r.tenant_id = me and r.record_digest = any(retrievals);
    delete from retrieval_receipt r where r.tenant_id = me and r.record_digest = any(retrievals);
    get diagnostics n = row_count;
    return query select 'retrieval_receipt', n, null::uuid[];
    drop table pg_temp.erase_term, pg_temp.erase_text, pg_temp.erase_row, pg_temp.erase_chain, pg_temp.erase_document, pg_temp.erase_node, pg_temp.erase_record;
    perform set_config('svc.erased_tenant', '', true);
  end $$;
