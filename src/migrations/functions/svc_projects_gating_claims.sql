-- The projects of a tenant in which a claim needs an approval, since their gate policy names its move (isNamed of the
-- gates has the patterns).
create or replace function svc_projects_gating_claims(me text) returns text[] language sql stable as $$
  select coalesce(array_agg(p.project_id), '{}') from work_gate_policy p
  where p.tenant_id = me and p.moves && array['ready>in_progress', 'ready>*', '*>in_progress', '*>*']
$$;
