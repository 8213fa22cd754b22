-- Trigger of legal_hold: a hold is released once, by the product, and changes in nothing else. Its row goes with those of
-- its tenant, which are not erased while it is active.
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
