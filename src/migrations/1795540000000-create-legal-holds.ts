import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Legal holds, what they refused, and the triggers by which every table with tenant content keeps what they pin. */
export class CreateLegalHolds1795540000000 implements MigrationInterface {
  name = 'CreateLegalHolds1795540000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(FUNCTIONS);
    await runner.query(`
      revoke execute on function svc_note_refusal(text, uuid[], text, text, text, text, text) from public;
      grant execute on function svc_note_refusal(text, uuid[], text, text, text, text, text) to svc_app, svc_operator;
      create trigger keep before delete or update on legal_hold for each row execute function svc_keep_hold();
      alter table legal_hold enable always trigger keep;
      create trigger keep_all before truncate on legal_hold for each statement execute function svc_keep_held_table();
      alter table legal_hold enable always trigger keep_all;
    `);
    for (const [table, names, content, gone] of PINNED)
      await runner.query('select svc_pin_table($1, $2, $3, $4)', [table, names, content, gone ?? null]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const parts = ['legal_hold', 'legal_hold_update', 'legal_hold_truncate'];
    for (const [table] of PINNED) for (const part of parts) await runner.query(`drop trigger ${part} on ${table}`);
    await runner.query(`
      drop table hold_refusal, legal_hold;
      drop function svc_count_held, svc_pin_table, svc_keep_hold, svc_keep_held_table, svc_keep_held, svc_note_refusal, svc_holds_on,
        svc_holds_on_any, svc_is_product;
    `);
  }
}

const TABLES = `
  create table legal_hold (
    tenant_id text not null,
    hold_id uuid not null,
    reason text not null check (length(reason) between 1 and 2000),
    -- None: the whole tenant.
    entity_prefixes text[] not null default '{}' check (array_position(entity_prefixes, '') is null),
    -- Of the incident that placed it, which has to be closed before it is released.
    incident_id text,
    placed_by text not null,
    placed_at timestamptz not null default now(),
    place_receipt uuid not null,
    released_by text,
    released_at timestamptz,
    release_receipt uuid,
    primary key (tenant_id, hold_id),
    check (num_nulls(released_by, released_at, release_receipt) in (0, 3))
  );
  create index legal_hold_active on legal_hold (tenant_id) where released_at is null;
  create index legal_hold_incident on legal_hold (tenant_id, incident_id) where incident_id is not null;
  select svc_secure_table('legal_hold');
  revoke delete on legal_hold from svc_app, svc_operator;
  -- The triggers look at it whoever deletes, the owner on a command line too.
  create policy looked_at on legal_hold for select to current_user using (true);

  -- Deletions that were refused, counted by what was the same in a minute.
  create table hold_refusal (
    tenant_id text not null,
    minute timestamptz not null,
    -- SHA-256 of holds, entity and principal.
    what bytea not null check (length(what) = 32),
    hold_ids uuid[] not null,
    entity text not null,
    principal text not null,
    auth_mode text not null,
    table_name text not null,
    operation text not null,
    attempts bigint not null default 1,
    first_at timestamptz not null default clock_timestamp(),
    last_at timestamptz not null default clock_timestamp(),
    -- Null until the daemon has made it: of what the product did not refuse itself.
    receipt_id uuid,
    primary key (tenant_id, minute, what)
  );
  create index hold_refusal_due on hold_refusal (tenant_id, minute) where receipt_id is null;
  select svc_secure_table('hold_refusal');
  revoke delete on hold_refusal from svc_app, svc_operator;
  create policy noted on hold_refusal to current_user using (true) with check (true);
`;

/** As they were made first; functions/ has them as they are. */
const FUNCTIONS = `
  create or replace function svc_is_product() returns boolean
    language sql stable as $$
      select coalesce(nullif(current_setting('role'), 'none'), session_user) in ('svc_app', 'svc_operator')
    $$;
  create or replace function svc_holds_on_any(wanted_tenant text, entities text[]) returns uuid[]
    language sql stable as $$
      select coalesce(array_agg(h.hold_id order by h.hold_id), '{}') from public.legal_hold h
      where h.tenant_id = wanted_tenant and h.released_at is null and (h.entity_prefixes = '{}' or exists (
        select from unnest(h.entity_prefixes) prefix, unnest(entities) entity where starts_with(entity, prefix)))
    $$;
  create or replace function svc_holds_on(wanted_tenant text, entity text) returns uuid[]
    language sql stable as $$ select public.svc_holds_on_any(wanted_tenant, array[entity]) $$;
  create or replace function svc_note_refusal(wanted_tenant text, holds uuid[], entity text, by_principal text, by_auth_mode text,
      of_table text, of_operation text)
    returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      noted bigint;
    begin
      if svc_is_product() and wanted_tenant is distinct from nullif(current_setting('svc.tenant_id', true), '') then
        raise exception 'a refusal is noted in the tenant that is open' using errcode = 'insufficient_privilege';
      end if;
      insert into hold_refusal as r (tenant_id, minute, what, hold_ids, entity, principal, auth_mode, table_name, operation)
        values (wanted_tenant, date_trunc('minute', clock_timestamp()), sha256(convert_to(json_build_array(holds, entity, by_principal)::text, 'UTF8')),
          holds, entity, by_principal, by_auth_mode, of_table, of_operation)
        on conflict (tenant_id, minute, what) do update set attempts = r.attempts + 1, last_at = clock_timestamp()
        returning attempts into noted;
      return noted = 1;
    end $$;
  create or replace function svc_keep_held() returns trigger
    language plpgsql as $$
    declare
      entities text[];
      holds uuid[];
      locked text;
    begin
      locked := pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended('svc holds ' || old.tenant_id, 0));
      if exists (select from public.legal_hold h where h.tenant_id = old.tenant_id and h.released_at is null) then
        execute format('select %s from (select ($1).*) r', tg_argv[0]) into entities using old;
        holds := public.svc_holds_on_any(old.tenant_id, entities);
      end if;
      if holds is null or holds = '{}' then
        if tg_op = 'DELETE' then
          return old;
        end if;
        return new;
      end if;
      if public.svc_is_product() then
        raise exception 'a legal hold pins %', entities[1] using errcode = 'SVH01', detail = to_json(holds)::text, hint = entities[1],
          schema = tg_table_schema, table = tg_table_name;
      end if;
      raise warning 'the row of % was kept: legal hold % pins it', entities[1], holds[1];
      perform public.svc_note_refusal(old.tenant_id, holds, entities[1], 'database:' || session_user, 'database', tg_table_name, lower(tg_op));
      return null;
    end $$;
  create or replace function svc_keep_held_table() returns trigger
    language plpgsql as $$
    declare
      holds uuid[] := array(select h.hold_id from public.legal_hold h where h.released_at is null order by 1 limit 100);
    begin
      if holds <> '{}' then
        raise exception 'legal hold % is active; % is not emptied', holds[1], tg_table_name using errcode = 'SVH01', detail = to_json(holds)::text,
          hint = tg_table_name;
      end if;
      return null;
    end $$;
  create or replace function svc_keep_hold() returns trigger
    language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if old.released_at is not null and old.tenant_id = nullif(current_setting('svc.erased_tenant', true), '') then
          return old;
        end if;
      elsif public.svc_is_product() and old.released_at is null and new.released_at is not null and
        (old.tenant_id, old.hold_id, old.reason, old.entity_prefixes, old.incident_id, old.placed_by, old.placed_at, old.place_receipt)
        is not distinct from
        (new.tenant_id, new.hold_id, new.reason, new.entity_prefixes, new.incident_id, new.placed_by, new.placed_at, new.place_receipt) then
        return new;
      end if;
      raise exception 'legal hold % is released by the daemon, and changes in nothing else', old.hold_id using errcode = 'SVH02';
    end $$;
  create or replace function svc_pin_table(target regclass, names text, content text[], gone text default null) returns void
    language plpgsql as $$
    declare
      pinned text[];
      condition text;
      part text;
    begin
      pinned := array(select a.attname::text from pg_attribute a where a.attrelid = target and a.attnum > 0 and not a.attisdropped and (
          a.attname = any(content)
          or exists (select from pg_index i where i.indrelid = target and i.indisprimary and a.attnum = any(i.indkey::int2[]))) order by a.attnum);
      if not content <@ pinned then
        raise exception '% has no such columns: %', target, content using errcode = 'undefined_column';
      end if;
      -- The type json has no equality.
      select string_agg(format('old.%1$I is not null and old.%1$I%2$s is distinct from new.%1$I%2$s', a.attname,
          case a.atttypid when 'json'::regtype then '::text' else '' end), ' or ' order by a.attnum)
        into condition from pg_attribute a where a.attrelid = target and a.attname = any(pinned);
      if gone is not null then
        condition := condition || (select case a.atttypid
            when 'boolean'::regtype then format(' or not old.%1$I and new.%1$I', gone)
            else format(' or old.%1$I is null and new.%1$I > %2$L', gone, '-infinity') end
          from pg_attribute a where a.attrelid = target and a.attname = gone);
        pinned := pinned || gone;
      end if;
      execute format('create trigger legal_hold before delete on %s for each row execute function svc_keep_held(%L)', target, names);
      execute format('create trigger legal_hold_update before update of %s on %s for each row when (%s) execute function svc_keep_held(%L)',
        (select string_agg(quote_ident(name), ', ') from unnest(pinned) name), target, condition, names);
      execute format('create trigger legal_hold_truncate before truncate on %s for each statement execute function svc_keep_held_table()', target);
      foreach part in array array['legal_hold', 'legal_hold_update', 'legal_hold_truncate'] loop
        execute format('alter table %s enable always trigger %I', target, part);
      end loop;
    end $$;
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
        select c.relname, split_part(encode(t.tgargs, 'escape'), '\\000', 1) as names
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
`;

/** Table, the entities that its row r is of, the columns with its content, and the column by which a row is deleted. */
type Pinned = readonly [table: string, names: string, content: readonly string[], gone?: string];

const DOCUMENT = `array['document:' || r.corpus_id || '/' || r.doc_id]`;
const ENTITY = `array[r.kind || ':' || r.id]`;
/** Documents of a corpus, sealed together: pinned by whatever pins any of them. */
const SEGMENT = `array['document:' || r.corpus_id || '/'] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, 'document:' || r.corpus_id || '/'))`;
const EDGE = `array[r.from_kind || ':' || r.from_id, r.to_kind || ':' || r.to_id]`;
const ARTIFACTS = `array['artifact:' || r.from_id, 'artifact:' || r.to_id]`;
const ANSWER = `'answer:' || r.answer_id`;
const PROOF = `'proof:' || r.job_id`;
const HOME = `'home:' || r.home_id`;
const PRIMITIVE = `array[${HOME} || '/' || r.kind || '/' || r.name]`;
const WORK = `array['work:' || r.work_id]`;

const PINNED: readonly Pinned[] = [
  ['fact', 'array[r.entity]', ['entity', 'key', 'value', 'actor', 'stored_at'], 'deleted_at'],
  ['fact_head', 'array[r.entity]', ['entity']],
  ['graph_entity', ENTITY, [], 'is_deleted'],
  ['graph_entity_version', ENTITY, ['payload']],
  ['graph_edge', EDGE, ['payload'], 'is_deleted'],
  ['relation', ARTIFACTS, ['confidence']],
  [
    'stream_event',
    `array['stream:' || r.stream_type || '/' || r.stream_id]`,
    ['event_id', 'type', 'payload', 'digest'],
  ],
  ['sealed_segment', SEGMENT, ['frames', 'digest']],
  ['result_envelope', `array['envelope:' || r.job_id]`, ['payload', 'content_hash', 'platform_signature']],
  ['document', DOCUMENT, [], 'deleted_at'],
  ['document_version', DOCUMENT, ['title', 'url', 'content', 'content_hash', 'metadata']],
  ['chunk', DOCUMENT, ['content', 'content_hash', 'start_offset', 'end_offset', 'heading_path']],
  ['answer', `array[${ANSWER}]`, ['answer_text', 'metadata', 'retrieval']],
  [
    'citation',
    `array[${ANSWER}, 'document:' || r.corpus_id || '/' || r.doc_id]`,
    ['content', 'content_hash', 'quote', 'note'],
  ],
  ['retrieval', `array['retrieval:' || r.retrieval_id]`, ['request', 'results']],
  ['proof_job', `array[${PROOF}]`, ['target', 'metadata']],
  [
    'proof_job_chunk',
    `array[${PROOF}, 'document:' || r.corpus_id || '/' || r.doc_id]`,
    ['content', 'content_hash', 'quote'],
  ],
  ['journal_entry', `array[${HOME}]`, ['type', 'subject', 'data']],
  ['primitive', PRIMITIVE, []],
  ['primitive_version', PRIMITIVE, ['content_text', 'content_data', 'reason']],
  ['primitive_pin', PRIMITIVE, ['content', 'content_hash', 'note']],
  ['work_item', WORK, ['title', 'body']],
  ['work_comment', WORK, ['body']],
  ['work_gate', WORK, ['before', 'after', 'why']],
  ['work_transition', WORK, ['why']],
  ['watch', `array['watch:' || r.watch_id]`, ['query', 'note']],
  ['watch_alert', `array['watch:' || r.watch_id]`, ['body']],
  ['feedback_request', `array['feedback:' || r.request_id]`, ['title', 'body']],
];
