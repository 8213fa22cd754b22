create or replace function svc_announce_key() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_key_revoked', old.key_id::text);
        return null;
      end $$;
