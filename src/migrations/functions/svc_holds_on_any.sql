-- The active legal holds of a tenant that pin any of these entities, by their ids; none: an empty array. A hold without
-- prefixes pins the whole tenant. As far as the caller may see: the tenant itself, the operator role, or the owner.
create or replace function svc_holds_on_any(wanted_tenant text, entities text[]) returns uuid[]
  language sql stable as $$
    select coalesce(array_agg(h.hold_id order by h.hold_id), '{}') from public.legal_hold h
    where h.tenant_id = wanted_tenant and h.released_at is null and (h.entity_prefixes = '{}' or exists (
      select from unnest(h.entity_prefixes) prefix, unnest(entities) entity where starts_with(entity, prefix)))
  $$;
