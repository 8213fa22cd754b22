-- Deletes these receipts and retrieval receipts of a tenant whose erasure has begun, and returns how many. Each has a leaf
-- of the log, so a receipt of the tenant's own chain, which stays, has to say before that they go; svc_erase_rows leaves
-- both tables alone.
create or replace function svc_erase_records(wanted_tenant text, receipts uuid[], retrievals bytea[]) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
  declare
    erased int;
    more int;
  begin
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
