import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Nonces of the sync handshake are kept from when they are used, and not from when they are given. svc_keep_nonce and
 * svc_spend_nonce stay for processes of the release before.
 */
export class RememberUsedNonces1795943000000 implements MigrationInterface {
  name = 'RememberUsedNonces1795943000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function svc_use_nonce(hash bytea, seconds int) returns boolean
        language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        delete from sync_nonce where nonce_hash = any(array(
          select nonce_hash from sync_nonce where expires_at <= clock_timestamp() order by expires_at limit 500 for update skip locked));
        insert into sync_nonce (nonce_hash, expires_at, spent_at)
        values (hash, clock_timestamp() + seconds * interval '1 second', clock_timestamp())
        on conflict do nothing;
        return found;
      end $$;
      revoke execute on function svc_use_nonce(bytea, int) from public;
      grant execute on function svc_use_nonce(bytea, int) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_use_nonce(bytea, int)');
  }
}
