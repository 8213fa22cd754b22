import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Nonces of the sync handshake (memory-daemon.md 4.7). Anyone may ask for one, so their number is bounded; they belong to no tenant, and the
 * application has two functions that run as the owner.
 */
export class CreateSyncNonces1795305100000 implements MigrationInterface {
  name = 'CreateSyncNonces1795305100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sync_nonce (
        -- SHA-256: whoever reads the table has no nonce.
        nonce_hash bytea primary key check (length(nonce_hash) = 32),
        expires_at timestamptz not null
      );
      create index sync_nonce_expiry on sync_nonce (expires_at);

      -- Keeps a nonce unless that many are open; clears away what has expired. False: there are too many.
      create function svc_keep_nonce(hash bytea, ttl_seconds int, most int) returns boolean
        language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        delete from sync_nonce where nonce_hash = any(array(
          select nonce_hash from sync_nonce where expires_at <= clock_timestamp() order by expires_at limit 500 for update skip locked));
        if (select count(*) from (select from sync_nonce where expires_at > clock_timestamp() limit most) open) >= most then
          return false;
        end if;
        insert into sync_nonce values (hash, clock_timestamp() + ttl_seconds * interval '1 second');
        return true;
      end $$;

      -- True once for a nonce that has not expired.
      create function svc_take_nonce(hash bytea) returns boolean
        language sql security definer set search_path = pg_catalog, public, pg_temp as $$
        with taken as (delete from sync_nonce where nonce_hash = hash returning expires_at)
        select coalesce((select expires_at > clock_timestamp() from taken), false);
      $$;

      revoke execute on function svc_keep_nonce(bytea, int, int), svc_take_nonce(bytea) from public;
      grant execute on function svc_keep_nonce(bytea, int, int), svc_take_nonce(bytea) to svc_app;
      -- Digests alone, for whoever looks for what stands in the database.
      grant select on sync_nonce to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_take_nonce(bytea), svc_keep_nonce(bytea, int, int);
      drop table sync_nonce;
    `);
  }
}
