-- Takes an idempotency key for the rest of the transaction, unless another transaction has it, and finds what is stored
-- under it; request_digest is null where nothing is. The record is looked for once the key is held: by then whoever held
-- it before has committed.
create or replace function svc_hold_idempotency_key(me text, called_by text, called_method text, called_path text, called_key text,
    out is_held boolean, out request_digest bytea, out status integer, out body text)
  language plpgsql as $$
  begin
    is_held := pg_try_advisory_xact_lock(
      hashtextextended(jsonb_build_array(me, called_by, called_method, called_path, called_key)::text, 0));
    if is_held then
      select r.request_digest, r.status, r.body into request_digest, status, body from idempotent_request r
        where r.tenant_id = me and r.principal = called_by and r.method = called_method and r.path = called_path
          and r.idempotency_key = called_key and r.created_at > now() - interval '24 hours';
    end if;
  end $$;
