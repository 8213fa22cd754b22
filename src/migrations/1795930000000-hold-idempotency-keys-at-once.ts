import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A key is held and what is stored under it is found by one statement. */
export class HoldIdempotencyKeysAtOnce1795930000000 implements MigrationInterface {
  name = 'HoldIdempotencyKeysAtOnce1795930000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(HOLD_KEY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_hold_idempotency_key(text, text, text, text, text)');
  }
}

/** As it was made first; functions/ has it as it is. */
const HOLD_KEY = `
  create function svc_hold_idempotency_key(me text, called_by text, called_method text, called_path text, called_key text,
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
  grant execute on function svc_hold_idempotency_key(text, text, text, text, text) to svc_app;
`;
