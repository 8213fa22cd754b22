create or replace function svc_grant_table(target regclass) returns void language plpgsql as $$
      begin
        execute format('grant select, insert, update, delete on %s to svc_app, svc_operator', target);
      end $$;
