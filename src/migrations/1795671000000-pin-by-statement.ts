import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Holds look at what the product deletes once a statement; what others delete is kept row by row, as before. */
export class PinByStatement1795671000000 implements MigrationInterface {
  name = 'PinByStatement1795671000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEEP_ROWS);
    await runner.query(PIN_TABLE);
    await runner.query(BY_STATEMENT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(BY_ROW);
    await runner.query('drop function svc_keep_held_rows()');
    await runner.query(PIN_TABLE_BEFORE);
  }
}

const EACH = `
    for pinned in
      -- Arguments of triggers end with a zero byte each.
      select t.tgrelid::regclass as target, split_part(encode(t.tgargs, 'escape'), '\\000', 1) as names from pg_trigger t where t.tgname = 'legal_hold' order by 1
    loop
      execute format('drop trigger legal_hold on %s', pinned.target);`;

const BY_STATEMENT = `
  do $do$
  declare
    pinned record;
    part text;
  begin${EACH}
      execute format('create trigger legal_hold before delete on %s for each row when (not svc_is_product()) execute function svc_keep_held(%L)', pinned.target, pinned.names);
      execute format('create trigger legal_hold_rows after delete on %s referencing old table as gone for each statement when (svc_is_product()) execute function svc_keep_held_rows(%L)',
        pinned.target, pinned.names);
      foreach part in array array['legal_hold', 'legal_hold_rows'] loop
        execute format('alter table %s enable always trigger %I', pinned.target, part);
      end loop;
    end loop;
  end $do$`;

const BY_ROW = `
  do $do$
  declare
    pinned record;
  begin${EACH}
      execute format('drop trigger legal_hold_rows on %s', pinned.target);
      execute format('create trigger legal_hold before delete on %s for each row execute function svc_keep_held(%L)', pinned.target, pinned.names);
      execute format('alter table %s enable always trigger legal_hold', pinned.target);
    end loop;
  end $do$`;

const KEEP_ROWS = `
  create function svc_keep_held_rows() returns trigger
    language plpgsql as $$
    declare
      one text;
      entities text[];
      holds uuid[];
    begin
      for one in select distinct g.tenant_id from gone g order by 1 loop
        perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended('svc holds ' || one, 0));
        continue when not exists (select from public.legal_hold h where h.tenant_id = one and h.released_at is null);
        execute format('select n.entities, n.holds from gone r cross join lateral (select %1$s as entities, public.svc_holds_on_any($1, %1$s) as holds) n
          where r.tenant_id = $1 and n.holds <> ''{}'' limit 1', tg_argv[0]) into entities, holds using one;
        if holds is not null then
          raise exception 'a legal hold pins %', entities[1] using errcode = 'SVH01', detail = to_json(holds)::text, hint = entities[1],
            schema = tg_table_schema, table = tg_table_name;
        end if;
      end loop;
      return null;
    end $$;`;

const PIN_TABLE = `
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
      -- The product's statement fails, so that one look after it will do; anyone else keeps pinned rows, row by row.
      execute format('create trigger legal_hold before delete on %s for each row when (not svc_is_product()) execute function svc_keep_held(%L)', target, names);
      execute format('create trigger legal_hold_rows after delete on %s referencing old table as gone for each statement when (svc_is_product()) execute function svc_keep_held_rows(%L)',
        target, names);
      execute format('create trigger legal_hold_update before update of %s on %s for each row when (%s) execute function svc_keep_held(%L)',
        (select string_agg(quote_ident(name), ', ') from unnest(pinned) name), target, condition, names);
      execute format('create trigger legal_hold_truncate before truncate on %s for each statement execute function svc_keep_held_table()', target);
      foreach part in array array['legal_hold', 'legal_hold_rows', 'legal_hold_update', 'legal_hold_truncate'] loop
        execute format('alter table %s enable always trigger %I', target, part);
      end loop;
    end $$;`;

const PIN_TABLE_BEFORE = `
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
    end $$;`;
