-- Trigger of svc_pin_table, after a statement of the product deleted rows (`gone`): where a legal hold pins one of
-- them, the statement fails with SVH01, as svc_keep_held raises it. A placing waits for transactions that were let
-- through here; what it committed before is seen here. A tenant without holds costs one look a statement, however many
-- rows go.
create or replace function svc_keep_held_rows() returns trigger
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
          schema = tg_table_schema, table = tg_table_name, constraint = one;
      end if;
    end loop;
    return null;
  end $$;
