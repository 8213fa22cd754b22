-- Counts a deletion that legal holds refused: one row for the same holds, entity and principal in a minute. True for the
-- first of them. The product notes what it refused in its own tenant; the trigger notes what anyone else tried.
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
