-- True once for a nonce that has not expired.
create or replace function svc_take_nonce(hash bytea) returns boolean
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
        with taken as (delete from sync_nonce where nonce_hash = hash returning expires_at)
        select coalesce((select expires_at > clock_timestamp() from taken), false);
      $$;
