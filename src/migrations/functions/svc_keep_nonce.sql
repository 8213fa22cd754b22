-- For programs from before 1795943000000: svc_use_nonce took its place.
-- Keeps a nonce unless that many are open, those that are spent aside; clears away what has expired. False: there are too many.
create or replace function svc_keep_nonce(hash bytea, ttl_seconds int, most int) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        delete from sync_nonce where nonce_hash = any(array(
          select nonce_hash from sync_nonce where expires_at <= clock_timestamp() order by expires_at limit 500 for update skip locked));
        if (select count(*) from (select from sync_nonce where expires_at > clock_timestamp() and spent_at is null limit most) open) >= most then
          return false;
        end if;
        insert into sync_nonce values (hash, clock_timestamp() + ttl_seconds * interval '1 second');
        return true;
      end $$;
