-- Deletes some rows of one table, of a tenant whose erasure has begun, and returns how many. No other way deletes rows
-- that the roles of the application may not, records of the log apart: those go by svc_erase_records. What stays is the
-- proof of the erasure: the receipts of what became of the tenant itself, and the event of its erasure until events of
-- its age are removed. Where rows refer to others of the same table, those that nothing refers to any more go first.
-- While a legal hold is active, whatever it pins, nothing of its tenant is erased.
create or replace function svc_erase_rows(wanted_tenant text, target regclass, at_most int) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
  declare
    condition text := case target
      when 'receipt_head'::regclass then 'r.stream <> ''tenant'''
      when 'outbox_event'::regclass then 'r.kind <> ''tenant.erased'''
      else 'true' end;
    erased int;
    kept uuid[];
  begin
    if target in ('tenant'::regclass, 'receipt'::regclass, 'retrieval_receipt'::regclass) or not exists (
      select from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.oid = target and c.relnamespace = 'public'::regnamespace and c.relkind = 'r') then
      raise exception '% is no table of tenants'' rows', target using errcode = 'invalid_parameter_value';
    end if;
    perform pg_advisory_xact_lock_shared(hashtextextended('svc holds ' || wanted_tenant, 0));
    kept := array(select h.hold_id from legal_hold h where h.tenant_id = wanted_tenant and h.released_at is null order by 1);
    if kept <> '{}' then
      raise exception 'a legal hold keeps tenant %', wanted_tenant using errcode = 'SVH01', detail = to_json(kept)::text,
        hint = 'tenant:' || wanted_tenant, table = 'tenant', constraint = wanted_tenant;
    end if;
    perform set_config('svc.erased_tenant', wanted_tenant, true);
    if not exists (select from tenant t where t.tenant_id = wanted_tenant and t.state = 'deleted' and t.erasure_began_at is not null) then
      raise exception 'the erasure of tenant % has not begun', wanted_tenant using errcode = 'object_not_in_prerequisite_state';
    end if;
    select coalesce(condition || string_agg(format(' and not exists (select from %s o where %s)', target, (
        select string_agg(format('o.%I = r.%I', child.attname, parent.attname), ' and ')
        from unnest(k.conkey, k.confkey) as pair (child_no, parent_no)
          join pg_attribute child on child.attrelid = target and child.attnum = pair.child_no
          join pg_attribute parent on parent.attrelid = target and parent.attnum = pair.parent_no)), ''), condition)
      into condition from pg_constraint k where k.conrelid = target and k.confrelid = target and k.contype = 'f';
    execute format('delete from %s where ctid = any(array(select r.ctid from %s r where r.tenant_id = $1 and %s limit $2))',
      target, target, condition) using wanted_tenant, at_most;
    get diagnostics erased = row_count;
    perform set_config('svc.erased_tenant', '', true);
    return erased;
  end $$;
