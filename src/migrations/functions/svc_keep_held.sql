-- Trigger of svc_pin_table, before a row is deleted or loses its content: where a legal hold pins it, the row stays. The
-- product's processes get SVH01 (detail: the holds, as a JSON array; hint: the entity; constraint: the tenant, since
-- tenants may share a hold by sync), and leave the receipt of it. Anyone else keeps the rest of the statement; the
-- daemon makes the receipt. A placing waits for transactions that were let through here (LegalHoldsService), so that
-- none of them ends after it. The argument is an expression over r: the entities that the row is of.
create or replace function svc_keep_held() returns trigger
  language plpgsql as $$
  declare
    entities text[];
    holds uuid[];
    -- Assigned, as that costs a fraction of a statement of its own.
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
        schema = tg_table_schema, table = tg_table_name, constraint = old.tenant_id;
    end if;
    raise warning 'the row of % was kept: legal hold % pins it', entities[1], holds[1];
    perform public.svc_note_refusal(old.tenant_id, holds, entities[1], 'database:' || session_user, 'database', tg_table_name, lower(tg_op));
    return null;
  end $$;
