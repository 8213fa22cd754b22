-- For programs from before 1795943000000: svc_use_nonce took its place.
-- What a nonce is: taken, once, while it has not expired; after that spent, which is remembered until it would have expired.
create or replace function svc_spend_nonce(hash bytea) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    update sync_nonce set spent_at = clock_timestamp()
    where nonce_hash = hash and spent_at is null and expires_at > clock_timestamp();
    if found then
      return 'taken';
    end if;
    return coalesce((select case when spent_at is null then 'expired' else 'spent' end from sync_nonce where nonce_hash = hash), 'unknown');
  end $$;
