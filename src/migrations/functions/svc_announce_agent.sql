create or replace function svc_announce_agent() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_agent_changed', old.agent_id::text);
        return null;
      end $$;
