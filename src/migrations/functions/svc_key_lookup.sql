-- Made with the first key: an empty database has no secret, so that a backup can be restored into it.
create or replace function svc_key_lookup(wanted_hash bytea) returns bytea
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        known bytea;
      begin
        select secret into known from server_secret where name = 'key lookup';
        if known is null then
          -- Three version 4 UUIDs: 366 bits of the server's strong random source.
          insert into server_secret (name, secret) values ('key lookup',
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))) on conflict do nothing;
          select secret into known from server_secret where name = 'key lookup';
        end if;
        -- Both of fixed length, so nothing can be appended.
        return sha256(known || wanted_hash);
      end $$;
