import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasures of subjects, what they leave of the evidence that they remove, and the rewriting of files that makes a
 * removal physical.
 */
export class CreateErasures1795550000000 implements MigrationInterface {
  name = 'CreateErasures1795550000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(FUNCTIONS);
    await runner.query(RIGHTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_erase_found(text, uuid, uuid[], bytea[], bytea[]);
      drop function svc_found_rows(text);
      drop function svc_found_terms();
      drop function svc_find_subject(text, jsonb);
      drop function svc_erasure_rules();
      drop function svc_names_in(jsonb);
      drop function svc_json_of(text);
      drop table erased_fact, erased_receipt, erasure, scrub;
    `);
  }
}

const TABLES = `
  -- Files that still hold bytes of what was removed, to be rewritten; of all tenants.
  create table scrub (
    scrub_id uuid primary key,
    reason text not null check (reason in ('subject', 'tenant', 'restore')),
    -- Rows that it removed may be seen by transactions that began before this one.
    removed_by xid8 not null default pg_current_xact_id(),
    requested_at timestamptz not null default now(),
    began_at timestamptz,
    -- What it does, or waits for.
    step text,
    finished_at timestamptz
  );
  create index scrub_open on scrub (requested_at) where finished_at is null;
  grant select, insert, update on scrub to svc_app, svc_operator;

  create table erasure (
    tenant_id text not null,
    erasure_id uuid not null,
    erased_by text not null,
    erased_at timestamptz not null default now(),
    -- Rows by table.
    counts jsonb not null,
    -- Null of one that a restore has done again: its receipt is in the log that was lost.
    receipt_id uuid,
    scrub_id uuid not null references scrub,
    primary key (tenant_id, erasure_id)
  );
  select svc_secure_table('erasure');
  revoke update, delete on erasure from svc_app, svc_operator;

  -- Records of the log that were erased: their leaf, and their place in the chain of receipts.
  create table erased_receipt (
    tenant_id text not null,
    record_digest bytea not null check (length(record_digest) = 32),
    -- Null of a retrieval receipt, which is in no chain.
    stream text,
    seq bigint,
    prev_hash bytea,
    payload_hash bytea,
    erasure_id uuid not null,
    -- The receipt that says so; null until it is signed.
    announced_by uuid,
    primary key (tenant_id, record_digest)
  );
  create unique index erased_receipt_place on erased_receipt (tenant_id, stream, seq) where stream is not null;
  create index erased_receipt_unannounced on erased_receipt (tenant_id) where announced_by is null;
  select svc_secure_table('erased_receipt');
  revoke insert, delete on erased_receipt from svc_app, svc_operator;

  -- Leaves of batches of facts whose fact was erased.
  create table erased_fact (
    tenant_id text not null,
    receipt_id uuid not null,
    leaf_index int not null,
    erasure_id uuid not null,
    announced_by uuid,
    primary key (tenant_id, receipt_id, leaf_index)
  );
  create index erased_fact_unannounced on erased_fact (tenant_id) where announced_by is null;
  select svc_secure_table('erased_fact');
  revoke insert, delete on erased_fact from svc_app, svc_operator;
`;

const RIGHTS = `
  revoke execute on function svc_find_subject(text, jsonb), svc_found_terms(), svc_found_rows(text),
    svc_erase_found(text, uuid, uuid[], bytea[], bytea[]) from public;
  grant execute on function svc_find_subject(text, jsonb), svc_found_terms(), svc_found_rows(text),
    svc_erase_found(text, uuid, uuid[], bytea[], bytea[]) to svc_app;
`;

/** As they were made first; functions/ has them as they are. */
const FUNCTIONS = `
-- The JSON that a text is; null where it is none.
create function svc_json_of(given text) returns jsonb language plpgsql immutable parallel safe as $$
  begin
    if given !~ '^\\s*[\\[{]' then
      return null;
    end if;
    return given::jsonb;
  exception when others then
    return null;
  end $$;
-- Every text of a value, however deep, JSON within texts too, and what its objects name: an entity of facts, a document,
-- an entity of the graph, a stream, an answer, who acted. The kind of such a name stands before it, parted by chr(1).
create function svc_names_in(given jsonb) returns setof text language plpgsql stable parallel safe as $$
  declare
    sep constant text := chr(1);
    inner_json jsonb;
    part jsonb;
    named text;
  begin
    for part in select p from jsonb_path_query(given, 'strict $.**') p loop
      if jsonb_typeof(part) = 'string' then
        named := part #>> '{}';
        return next named;
        inner_json := svc_json_of(named);
        if inner_json is not null then
          return query select svc_names_in(inner_json);
        end if;
      elsif jsonb_typeof(part) = 'object' then
        if part ? 'entity' then
          return next 'entity' || sep || (part ->> 'entity');
        end if;
        if (part ? 'corpus_id' and part ? 'doc_id') or (part ? 'corpusId' and part ? 'docId') then
          return next 'document' || sep || coalesce(part ->> 'corpus_id', part ->> 'corpusId') || sep || coalesce(part ->> 'doc_id', part ->> 'docId');
        end if;
        if part ? 'kind' and part ? 'id' then
          return next 'node' || sep || (part ->> 'kind') || sep || (part ->> 'id');
        end if;
        if part ? 'from_kind' and part ? 'from_id' then
          return next 'node' || sep || (part ->> 'from_kind') || sep || (part ->> 'from_id');
          return next 'node' || sep || (part ->> 'to_kind') || sep || (part ->> 'to_id');
        end if;
        if part ? 'stream_type' and part ? 'stream_id' then
          return next 'stream' || sep || (part ->> 'stream_type') || sep || (part ->> 'stream_id');
        end if;
        if part ? 'answer_id' or part ? 'answerId' then
          return next 'answer' || sep || coalesce(part ->> 'answer_id', part ->> 'answerId');
        end if;
        for named in
          select 'by' || sep || (m.value #>> '{}') from jsonb_each(part) m
          where jsonb_typeof(m.value) = 'string' and m.key in ('agent_id', 'agentId', 'principal', 'actor', 'owner', 'written_by', 'recorded_by',
            'requested_by', 'submitted_by', 'stored_by', 'updated_by', 'declared_by', 'by_passport', 'announced_by')
        loop
          return next named;
        end loop;
        -- Names of members are texts as well.
        return query select jsonb_object_keys(part);
      end if;
    end loop;
  end $$;
-- What the erasure of a subject does with the rows of each table of tenants. delete: a row that names it goes, with the
-- rows that refer to it. blank: these columns are emptied and the row stays, since others count on it. own: the erasure
-- knows the table by name. keep: no content of a subject, or accounts, rights, money and the proof itself.
-- names: what a row that goes is called by elsewhere: columns, or kinds of names of svc_names_in.
-- up: the row that it refers to goes with it.
create function svc_erasure_rules() returns table (name text, effect text, names text[], blanks text[], up boolean)
  language sql immutable as $$
  select r.name, r.effect, string_to_array(r.names, ' '), string_to_array(r.blanks, ' '), r.up from (values
    ('access_request', 'delete', 'request_id', '', false),
    ('access_request_change', 'delete', '', '', false),
    ('agent', 'blank', '', 'display_name callback_url fingerprint', false),
    ('agent_home', 'delete', 'home_id', '', false),
    ('agent_retrieval', 'delete', 'retrieval_id', '', false),
    ('answer', 'delete', 'answer', '', false),
    ('api_key', 'blank', '', 'label revoke_reason', false),
    ('blast_radius', 'blank', '', 'root_key', false),
    ('blast_radius_edge', 'keep', '', '', false),
    ('blast_radius_node', 'blank', '', 'key', false),
    ('bundle', 'blank', '', 'title description withdrawn_reason', false),
    ('bundle_purchase', 'keep', '', '', false),
    ('chunk', 'own', '', '', false),
    ('chunk_vector', 'own', '', '', false),
    ('citation', 'delete', 'answer', '', true),
    ('conversion', 'keep', '', '', false),
    ('conversion_event', 'keep', '', '', false),
    ('coord_intent', 'delete', 'intent_id', '', false),
    ('corpus', 'keep', '', '', false),
    ('document', 'own', '', '', false),
    ('document_version', 'own', '', '', false),
    ('entitlement', 'keep', '', '', false),
    ('erased_fact', 'keep', '', '', false),
    ('erased_receipt', 'keep', '', '', false),
    ('erasure', 'keep', '', '', false),
    ('fact', 'own', '', '', false),
    ('fact_batch', 'own', '', '', false),
    ('fact_count', 'keep', '', '', false),
    ('fact_head', 'own', '', '', false),
    ('fact_index', 'own', '', '', false),
    ('fact_segment', 'own', '', '', false),
    ('fact_settled', 'keep', '', '', false),
    ('feedback_request', 'blank', '', 'title body', false),
    ('feedback_request_change', 'blank', '', 'reason note', false),
    ('feedback_vote', 'keep', '', '', false),
    ('graph_edge', 'own', '', '', false),
    ('graph_entity', 'own', '', '', false),
    ('graph_entity_version', 'own', '', '', false),
    ('graph_kind', 'keep', '', '', false),
    ('idempotent_request', 'delete', '', '', false),
    ('incident', 'blank', '', 'title entities notes', false),
    ('index_garbage', 'own', '', '', false),
    ('index_posting', 'own', '', '', false),
    ('index_segment', 'own', '', '', false),
    ('index_shard', 'own', '', '', false),
    ('index_tombstone', 'own', '', '', false),
    ('ingest', 'own', '', '', false),
    ('journal_entry', 'delete', 'entry_id', '', false),
    ('lease', 'blank', '', 'reason', false),
    ('legal_hold', 'keep', '', '', false),
    ('hold_refusal', 'keep', '', '', false),
    ('ledger_account', 'keep', '', '', false),
    ('ledger_allowance', 'keep', '', '', false),
    ('ledger_entry', 'keep', '', '', false),
    ('ledger_transfer', 'blank', '', 'note', false),
    ('observe_session', 'keep', '', '', false),
    ('observe_step', 'blank', '', 'label actor inputs outputs enrich_ref reasoning_ref', false),
    ('orchestrator', 'blank', '', 'name', false),
    ('orchestrator_member', 'keep', '', '', false),
    ('outbox_event', 'delete', 'event_id', '', false),
    ('outgoing_mail', 'delete', '', '', false),
    ('primitive', 'delete', '', '', false),
    ('primitive_pin', 'delete', '', '', false),
    ('primitive_version', 'delete', '', '', true),
    ('principal_end', 'keep', '', '', false),
    ('proof_job', 'delete', 'job_id', '', false),
    ('proof_job_chunk', 'delete', '', '', true),
    ('proof_upstream_claim', 'delete', '', '', false),
    ('receipt', 'own', '', '', false),
    ('receipt_head', 'own', '', '', false),
    ('receipt_tally', 'own', '', '', false),
    ('relation', 'keep', '', '', false),
    ('result_envelope', 'delete', '', '', false),
    ('retrieval', 'delete', 'retrieval_id', '', false),
    ('retrieval_ledger', 'delete', 'retrieval_id', '', false),
    ('retrieval_receipt', 'own', '', '', false),
    ('revenue_declaration', 'blank', '', 'note', false),
    ('revenue_declaration_change', 'blank', '', 'reason', false),
    ('sealed_segment', 'delete', '', '', false),
    ('seat', 'keep', '', '', false),
    ('seat_event', 'blank', '', 'reason', false),
    ('session', 'keep', '', '', false),
    ('shield_approval', 'delete', 'approval_request_id', '', false),
    ('shield_decision', 'delete', '', '', false),
    ('shield_digest', 'blank', '', 'reason', false),
    ('shield_drill', 'blank', '', 'reason', false),
    ('shield_kill_switch', 'blank', '', 'reason lift_reason', false),
    ('shield_policy', 'keep', '', '', false),
    ('shield_publisher', 'blank', '', 'reason', false),
    ('shield_sampling_policy', 'keep', '', '', false),
    ('shield_server', 'blank', '', 'reason', false),
    ('shield_spending', 'keep', '', '', false),
    ('shield_ui_session', 'delete', '', '', false),
    ('stream_event', 'delete', 'stream', '', false),
    ('stream_head', 'delete', 'stream', '', false),
    ('survey_response', 'delete', 'response_id', '', false),
    ('tool_window', 'keep', '', '', false),
    ('watch', 'delete', 'watch_id', '', false),
    ('watch_alert', 'delete', 'alert_id', '', false),
    ('watch_seen', 'delete', '', '', false),
    ('watch_source', 'delete', '', '', true),
    ('webhook_attempt', 'delete', '', '', false),
    ('webhook_delivery', 'delete', 'delivery_id', '', false),
    ('webhook_endpoint', 'delete', 'endpoint_id', '', false),
    ('work_blocker', 'keep', '', '', false),
    ('work_comment', 'blank', '', 'body', false),
    ('work_gate', 'blank', '', 'why reason', false),
    ('work_gate_policy', 'keep', '', '', false),
    ('work_item', 'blank', '', 'title body linked_pr linked_issue blocker_reason', false),
    ('work_transition', 'blank', '', 'why', false)
  ) r (name, effect, names, blanks, up) $$;
-- Finds what an erasure removes, into temporary tables of this transaction, which only the functions of the erasure
-- read: the report and the removal are of the same rows. selector: entities, entity_prefixes, fact_ids, documents
-- ({corpus_id, doc_id}), principals, texts; each a list. The application may ask for the tenant of its unit of work.
create function svc_find_subject(me text, selector jsonb) returns void
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
    create temporary table erase_row (target text not null, place tid not null, turn int not null, primary key (target, place)) on commit drop;
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
    insert into erase_node select e.kind, e.id from graph_entity e
      where e.tenant_id = me and (e.id = any(entities) or e.kind || ':' || e.id = any(entities)
        or exists (select from unnest(prefixes) p where starts_with(e.id, p))) on conflict do nothing;
    insert into erase_row select 'graph_edge', g.ctid, 0 from graph_edge g where g.tenant_id = me and (
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
      where i.tenant_id = me and i.receipt_id is not null on conflict do nothing;

    -- Rows that name it, then rows that name those, until nothing is added.
    loop
      for rule in select r.* from svc_erasure_rules() r where r.effect in ('delete', 'blank') loop
        execute format(
          'insert into erase_row select %L, r.ctid, $2 from %I r where r.tenant_id = $1 and exists (
             select from svc_names_in(case when $3 then to_jsonb(r) - ''tenant_id'' else (select jsonb_object_agg(c, to_jsonb(r) -> c) from unnest($4) c) end) n where
               exists (select from erase_term t where t.term = n and t.turn = $2)
               or ($2 = 0 and exists (select from erase_text t where position(t.wanted in n) > 0 or (starts_with(n, ''\\x'') and position(t.hex in n) > 0))))
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
          execute format('insert into erase_row select %L, o.ctid, $1 from %I o join %I r on %s join erase_row e on e.target = %L and e.place = r.ctid
            on conflict do nothing', link.child, link.child, link.parent, link.condition, link.parent) using turn;
          get diagnostics found_now = row_count;
          more := more + found_now;
          if link.up then
            execute format('insert into erase_row select distinct %L, r.ctid, $1 from %I o join %I r on %s join erase_row e on e.target = %L and e.place = o.ctid
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
          'insert into erase_term select distinct n, $1 + 1 from %I r join erase_row e on e.target = %L and e.place = r.ctid and e.turn = $1
             cross join lateral (select to_jsonb(r) ->> c as n from unnest($2) c where c like ''%%\\_id''
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
      execute format('insert into erase_record select distinct v from %I r join erase_row e on e.target = %L and e.place = r.ctid
        cross join lateral (values (to_jsonb(r) ->> ''receipt_id''), (to_jsonb(r) ->> ''execution_receipt_id'')) i (v)
        where v is not null on conflict do nothing', rule.name, rule.name);
    end loop;
  end $$;
-- What the records of the log are held against after svc_find_subject: names, and the ids of receipts that rows name.
create function svc_found_terms() returns table (term text, is_record boolean)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    return query select t.term::text, false from pg_temp.erase_term t union all select r.name, true from pg_temp.erase_record r;
  end $$;
-- How many rows of each table svc_find_subject found, and up to ten ids of each; records of the log apart.
create function svc_found_rows(me text) returns table (name text, found bigint, samples text[])
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  declare
    rule record;
  begin
    perform set_config('svc.erased_tenant', me, true);
    return query select 'fact', count(*), (array_agg(f.fact_id::text order by f.seq))[1:10] from fact f join pg_temp.erase_chain c using (chain) where f.tenant_id = me;
    return query select 'document_version', count(*), (array_agg(v.corpus_id || '/' || v.doc_id || '@' || v.version order by v.corpus_id, v.doc_id, v.version))[1:10]
      from document_version v join pg_temp.erase_document d using (corpus_id, doc_id) where v.tenant_id = me;
    return query select 'chunk', count(*), (array_agg(k.chunk_id order by k.chunk_id))[1:10] from chunk k join pg_temp.erase_document d using (corpus_id, doc_id) where k.tenant_id = me;
    return query select 'graph_entity', count(*), (array_agg(e.kind || ':' || e.id order by e.kind, e.id))[1:10] from graph_entity e join pg_temp.erase_node n using (kind, id) where e.tenant_id = me;
    for rule in select e.target, count(*) as found from pg_temp.erase_row e group by 1 order by 1 loop
      return query execute format('select %L::text, $1::bigint, array(select concat_ws(''/'', %s) from %I r join pg_temp.erase_row e on e.target = %L and e.place = r.ctid limit 10)',
        rule.target, (select string_agg(format('r.%I', a.attname), ', ' order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
          where i.indrelid = to_regclass('public.' || rule.target) and i.indisprimary and a.attname <> 'tenant_id'), rule.target, rule.target) using rule.found;
    end loop;
  end $$;
-- Removes what svc_find_subject found in this transaction, and these records of the log with the digests of their
-- leaves. Rows of records are kept as erased_receipt: place in the chain and digests, nothing of what they said.
-- Returns how many rows of each table went, and of the table \`index_shard\` the shards whose segments must be rewritten.
create function svc_erase_found(me text, by_erasure uuid, receipts uuid[], receipt_leaves bytea[], retrievals bytea[])
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
        update index_shard s set generation = s.generation + 1 from (select distinct shard_id from gone order by 1) g
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
      for rule in select unnest(array['chunk', 'ingest', 'document_version', 'document']) as name loop
        execute format('delete from %I r using pg_temp.erase_document d where r.tenant_id = $1 and r.corpus_id = d.corpus_id and r.doc_id = d.doc_id', rule.name) using me;
        get diagnostics n = row_count;
        return query select rule.name, n, null::uuid[];
      end loop;
    end if;

    for one in select g.edge_kind as kind, -count(*)::int as less from graph_edge g join pg_temp.erase_row e on e.target = 'graph_edge' and e.place = g.ctid
      where g.tenant_id = me and not g.is_deleted group by 1
    loop
      perform svc_count_kind(me, one.kind, 'edge', one.less);
    end loop;
    for one in select x.kind, -count(*)::int as less from graph_entity x join pg_temp.erase_node using (kind, id) where x.tenant_id = me and not x.is_deleted group by 1 loop
      perform svc_count_kind(me, one.kind, 'entity', one.less);
    end loop;
    for rule in
      with recursive placed (name, depth) as (
        select r.name collate "C", 0 from svc_erasure_rules() r where r.effect = 'delete' or r.name = 'graph_edge'
        union
        select c.relname::text collate "C", p.depth + 1 from placed p join pg_constraint k on k.confrelid = to_regclass('public.' || p.name) and k.contype = 'f' and k.conrelid <> k.confrelid
          join pg_class c on c.oid = k.conrelid where p.depth < 20
      )
      select p.name from placed p where exists (select from pg_temp.erase_row e where e.target = p.name) group by 1 order by max(p.depth) desc, 1
    loop
      execute format('delete from %I where ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and tenant_id = $1', rule.name, rule.name) using me;
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
      execute format('update %I set %s where ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and tenant_id = $1', rule.name,
        (select string_agg(format('%I = case when %I is null then null else %L::%s end', a.attname, a.attname,
            case format_type(a.atttypid, null) when 'json' then '[]' when 'jsonb' then '[]' when 'text[]' then '{}' else '[erased]' end,
            format_type(a.atttypid, null)), ', ')
          from pg_attribute a where a.attrelid = to_regclass(rule.name) and a.attname = any(rule.blanks)), rule.name) using me;
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
`;
