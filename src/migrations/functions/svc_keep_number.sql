-- Leaves a row the number that it has.
create or replace function svc_keep_number() returns trigger language plpgsql as $$
      begin
        new.seq := old.seq;
        return new;
      end $$;
