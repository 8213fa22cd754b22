-- Deletes these receipts and retrieval receipts of a tenant whose erasure has begun, and returns how many. Each has a leaf
-- of the log, so a receipt of the tenant's own chain, which stays, has to say before that they go; svc_erase_rows leaves
-- both tables alone. While a legal hold is active, whatever it pins, nothing of its tenant is erased.
create or replace function svc_erase_records(wanted_tenant text, receipts uuid[], retrievals bytea[]) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
  declare
    erased int;
    kept uuid[];
    more int;
  begin
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
    delete from receipt r where r.tenant_id = wanted_tenant and r.receipt_id = any(receipts) and r.stream <> 'tenant';
    get diagnostics erased = row_count;
    delete from retrieval_receipt r where r.tenant_id = wanted_tenant and r.record_digest = any(retrievals);
    get diagnostics more = row_count;
    perform set_config('svc.erased_tenant', '', true);
    return erased + more;
  end $$;
