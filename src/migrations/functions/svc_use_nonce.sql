-- Remembers for a time that a nonce was used; clears away those whose time is over. False: it was used before.
create or replace function svc_use_nonce(hash bytea, seconds int) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    delete from sync_nonce where nonce_hash = any(array(
      select nonce_hash from sync_nonce where expires_at <= clock_timestamp() order by expires_at limit 500 for update skip locked));
    insert into sync_nonce (nonce_hash, expires_at, spent_at)
    values (hash, clock_timestamp() + seconds * interval '1 second', clock_timestamp())
    on conflict do nothing;
    return found;
  end $$;
