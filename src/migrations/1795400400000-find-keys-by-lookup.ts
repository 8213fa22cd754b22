import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys are found by a digest that is shown nowhere, under a secret of the database's own, and no longer by their prefix. The prefix of a chosen key was
 * 48 bits of its hash: it is replaced by a random one (docs/decisions/0116).
 */
export class FindKeysByLookup1795400400000 implements MigrationInterface {
  name = 'FindKeysByLookup1795400400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Made with the first key: an empty database has no secret, so that a backup can be restored into it.
      create function svc_key_lookup(wanted_hash bytea) returns bytea
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
      revoke execute on function svc_key_lookup(bytea) from public;
      grant execute on function svc_key_lookup(bytea) to svc_app, svc_operator;

      -- Forced row-level security hides the rows of tables from their owner.
      alter table api_key no force row level security;
      alter table api_key add column lookup bytea;
      update api_key set lookup = svc_key_lookup(key_hash),
        prefix = case when prefix like 'own%' then 'own' || left(replace(gen_random_uuid()::text, '-', ''), 12) else prefix end;
      alter table api_key force row level security;
      alter table api_key alter column lookup set not null;
      alter table api_key add unique (tenant_id, lookup);
      create index api_key_lookup on api_key (lookup) where revoked_at is null;
      drop index api_key_prefix;

      create function svc_set_key_lookup() returns trigger language plpgsql as $$
      begin
        new.lookup := svc_key_lookup(new.key_hash);
        return new;
      end $$;
      create trigger set_lookup before insert or update of key_hash on api_key for each row execute function svc_set_key_lookup();

      drop function svc_find_key(text, text);
      create function svc_find_key(wanted_tenant text, wanted_hash bytea)
        returns table (key_id uuid, prefix text, key_hash bytea, tier text, expires_at timestamptz) language plpgsql as $$
      declare
        wanted_lookup bytea := svc_key_lookup(wanted_hash);
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select k.key_id, k.prefix, k.key_hash, t.tier, k.expires_at from api_key k join tenant t using (tenant_id)
          where k.lookup = wanted_lookup and k.tenant_id = wanted_tenant and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > clock_timestamp());
      end $$;
      grant execute on function svc_find_key(text, bytea) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_find_key(text, bytea);
      drop trigger set_lookup on api_key;
      drop function svc_set_key_lookup();
      alter table api_key no force row level security;
      update api_key set prefix = 'own' || left(encode(key_hash, 'hex'), 12) where prefix like 'own%';
      alter table api_key force row level security;
      alter table api_key drop column lookup;
      drop function svc_key_lookup(bytea);
      delete from server_secret where name = 'key lookup';
      create index api_key_prefix on api_key (prefix) where revoked_at is null;
      create function svc_find_key(wanted_tenant text, wanted_prefix text)
        returns table (key_id uuid, key_hash bytea, tier text, expires_at timestamptz) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select k.key_id, k.key_hash, t.tier, k.expires_at from api_key k join tenant t using (tenant_id)
          where k.tenant_id = wanted_tenant and k.prefix = wanted_prefix and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > clock_timestamp());
      end $$;
      grant execute on function svc_find_key(text, text) to svc_app;
    `);
  }
}
