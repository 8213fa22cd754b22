-- The active legal holds of a tenant that pin any of these entities, by their ids; none: an empty array. A hold without
-- prefixes pins the whole tenant. As far as the caller may see: the tenant itself, the operator role, or the owner.
-- Where a restore does an erasure again (svc.erased_at: when it was done first), no hold that was placed before it
-- pinned anything of it then: such a hold was released since the backup, whose rows do not say so yet.
create or replace function svc_holds_on_any(wanted_tenant text, entities text[]) returns uuid[]
  language sql stable as $$
    select coalesce(array_agg(h.hold_id order by h.hold_id), '{}') from public.legal_hold h
    where h.tenant_id = wanted_tenant and h.released_at is null and (h.entity_prefixes = '{}' or exists (
      select from unnest(h.entity_prefixes) prefix, unnest(entities) entity where starts_with(entity, prefix)))
      and (public.svc_is_product() or h.placed_at >= coalesce(nullif(current_setting('svc.erased_at', true), '')::timestamptz, '-infinity'))
  $$;
