-- Whether an incident of the tenant is there and not closed.
create or replace function svc_incident_open(me text, wanted uuid) returns boolean language sql stable as $$
    select exists (select from incident i where i.tenant_id = me and i.incident_id = wanted and i.status <> 'closed')
  $$;
