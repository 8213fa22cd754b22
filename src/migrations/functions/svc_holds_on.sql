-- The active legal holds of a tenant that pin this entity, as svc_holds_on_any gives them.
create or replace function svc_holds_on(wanted_tenant text, entity text) returns uuid[]
  language sql stable as $$ select public.svc_holds_on_any(wanted_tenant, array[entity]) $$;
