-- Takes an idempotency key for the rest of the transaction, unless another transaction has it, and finds what is stored
-- under it; request_digest is null where nothing is. The record is looked for after that, by a snapshot of its own: by
-- then whoever held the key before has committed. It is looked for also where the key is not held: a repeat holds it as
-- well, and others that come together with it have the same answer.
create or replace function svc_hold_idempotency_key(me text, called_by text, called_method text, called_path text, called_key text,
    out is_held boolean, out request_digest bytea, out status integer, out body text)
  language plpgsql as $$
  begin
    is_held := pg_try_advisory_xact_lock(
      hashtextextended(jsonb_build_array(me, called_by, called_method, called_path, called_key)::text, 0));
    select r.request_digest, r.status, r.body into request_digest, status, body from idempotent_request r
      where r.tenant_id = me and r.principal = called_by and r.method = called_method and r.path = called_path
        and r.idempotency_key = called_key and r.created_at > now() - interval '24 hours';
  end $$;
