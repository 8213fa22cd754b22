create or replace function svc_set_key_lookup() returns trigger language plpgsql as $$
      begin
        new.lookup := svc_key_lookup(new.key_hash);
        return new;
      end $$;
