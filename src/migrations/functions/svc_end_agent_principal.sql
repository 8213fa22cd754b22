-- The end of an agent is the end of its principal in the tenant it acts in.
create or replace function svc_end_agent_principal() returns trigger language plpgsql as $$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
        acts_in text := coalesce(new.sponsor_tenant_id, new.tenant_id);
      begin
        perform set_config('svc.tenant_id', acts_in, true);
        insert into principal_end (tenant_id, principal, reason) values (acts_in, 'agent:' || new.agent_id, 'agent released');
        perform set_config('svc.tenant_id', entered, true);
        return null;
      end $$;
