create or replace function svc_announce_session() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_session_ended', old.session_id::text);
        return null;
      end $$;
