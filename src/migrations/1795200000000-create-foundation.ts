import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles, the functions every later migration secures its tables with, tenants, API keys and the record of idempotent requests. */
export class CreateFoundation1795200000000 implements MigrationInterface {
  name = 'CreateFoundation1795200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      do $$
      declare
        role_name text;
        -- From PostgreSQL 16 on, membership alone does not allow SET ROLE.
        right_needed text := case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end;
      begin
        -- Roles belong to the whole server: another database of it may be migrating at the same moment.
        perform pg_advisory_xact_lock(hashtext('svc roles'));
        foreach role_name in array array['svc_app', 'svc_operator'] loop
          if not exists (select from pg_roles where rolname = role_name) then
            execute format('create role %I login nosuperuser nocreatedb nocreaterole nobypassrls', role_name);
          end if;
          if not pg_has_role(current_user, role_name, right_needed) then
            execute format('grant %I to %I', role_name, current_user);
          end if;
        end loop;
      end $$;

      grant usage on schema public to svc_app, svc_operator;

      create function svc_grant_table(target regclass) returns void language plpgsql as $$
      begin
        execute format('grant select, insert, update, delete on %s to svc_app, svc_operator', target);
      end $$;

      -- Forced row-level security: without a tenant nothing is there; with one, only its rows. svc_operator sees all tenants' rows.
      create function svc_secure_table(target regclass) returns void language plpgsql as $$
      begin
        execute format('alter table %s enable row level security', target);
        execute format('alter table %s force row level security', target);
        execute format(
          'create policy tenant_rows on %s to svc_app using (tenant_id = nullif(current_setting(''svc.tenant_id'', true), '''')) '
          'with check (tenant_id = nullif(current_setting(''svc.tenant_id'', true), ''''))', target);
        execute format('create policy operator_rows on %s to svc_operator using (true) with check (true)', target);
        perform svc_grant_table(target);
      end $$;

      create table tenant (
        tenant_id text primary key check (length(tenant_id) between 1 and 120),
        tier text not null check (tier in ('free', 'starter', 'pro', 'team')),
        created_at timestamptz not null default now()
      );
      select svc_secure_table('tenant');

      create table api_key (
        tenant_id text not null references tenant,
        key_id uuid not null,
        prefix text not null,
        key_hash bytea not null,
        created_at timestamptz not null default now(),
        revoked_at timestamptz,
        primary key (tenant_id, key_id),
        unique (tenant_id, prefix)
      );
      select svc_secure_table('api_key');

      -- One round trip for the caller guard: enters the tenant for this statement's transaction alone.
      create function svc_find_key(wanted_tenant text, wanted_prefix text)
        returns table (key_id uuid, key_hash bytea, tier text) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select k.key_id, k.key_hash, t.tier from api_key k join tenant t using (tenant_id)
          where k.tenant_id = wanted_tenant and k.prefix = wanted_prefix and k.revoked_at is null;
      end $$;
      grant execute on function svc_find_key(text, text) to svc_app;

      create function svc_announce_key() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_key_revoked', old.key_id::text);
        return null;
      end $$;
      create trigger announce_revocation after update of revoked_at or delete on api_key
        for each row execute function svc_announce_key();

      create table idempotent_request (
        tenant_id text not null,
        principal text not null,
        method text not null,
        path text not null,
        idempotency_key text not null,
        request_digest bytea not null,
        status smallint not null,
        body text,
        created_at timestamptz not null default now(),
        primary key (tenant_id, principal, method, path, idempotency_key)
      );
      create index idempotent_request_age on idempotent_request (created_at);
      select svc_secure_table('idempotent_request');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table idempotent_request, api_key, tenant cascade;
      drop function svc_announce_key(), svc_find_key(text, text), svc_secure_table(regclass), svc_grant_table(regclass);
    `);
  }
}
