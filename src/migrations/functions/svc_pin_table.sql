-- Puts a table with tenant content under the legal holds. names: an expression over r, its row, that gives the entities
-- which the row is of, the first one to be named in refusals: 'array[r.entity]'. content: the columns that make the
-- content; a change of what is there, of the key and of the tenant too, is a deletion. gone: a column by which a row
-- counts as deleted, a time that is set or a boolean that becomes true. What changes other columns pays nothing.
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
  end $$;
