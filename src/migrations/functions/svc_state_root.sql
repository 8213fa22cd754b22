-- The state root of a tenant: SHA-256 over what is found of it, documents, facts, then cases, each a line of 32 bytes,
-- in the order of these lines. The line of a document is SHA-256 of the text 'document' and the JSON list [corpus_id, doc_id,
-- version, hexadecimal content_hash]; of a fact, of 'fact' and [fact_id, version, hexadecimal SHA-256 of its value,
-- how many records its chain shows]; of a case, of 'case' and [case_id, content_hash]. JSON as jsonb prints it.
create or replace function svc_state_root(me text) returns bytea language sql stable as $$
    select sha256(coalesce(string_agg(l.line, ''::bytea order by l.part, l.line), ''::bytea))
    from (
      select 1 as part, sha256(convert_to('document' || jsonb_build_array(d.corpus_id, d.doc_id, v.version, encode(v.content_hash, 'hex'))::text, 'UTF8')) as line
      from document d
      join document_version v on v.tenant_id = d.tenant_id and v.corpus_id = d.corpus_id and v.doc_id = d.doc_id and v.version = d.current_version
      where d.tenant_id = me and d.current_version is distinct from d.quarantined_version
      union all
      select 2, sha256(convert_to('fact' || jsonb_build_array(f.fact_id, f.version, encode(sha256(convert_to(f.value, 'UTF8')), 'hex'), h.records)::text, 'UTF8'))
      from fact_head h join fact f on f.tenant_id = h.tenant_id and f.seq = h.seq
      where h.tenant_id = me and h.records > 0
      union all
      select 3, sha256(convert_to('case' || jsonb_build_array(c.case_id, c.content_hash)::text, 'UTF8'))
      from memory_case c where c.tenant_id = me and not c.quarantined
    ) l
  $$;
