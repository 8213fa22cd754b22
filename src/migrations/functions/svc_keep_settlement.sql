-- The first final state stands, whatever arrives later and in whatever order.
create or replace function svc_keep_settlement() returns trigger language plpgsql as $$
      begin
        raise exception 'conversion % is % and stays so', old.conversion_id, old.state using errcode = 'check_violation';
      end $$;
