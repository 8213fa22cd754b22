import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Extensions of a tenant, and their calls of the last minute. */
export class CreateExtensions1795860000000 implements MigrationInterface {
  name = 'CreateExtensions1795860000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table extension (
        tenant_id text not null,
        extension_id text collate "C" not null,
        display_name text not null,
        description text,
        kind text not null check (kind in ('wasm', 'tool')),
        -- SHA-256 in hexadecimal, by which it is enabled and called.
        digest text not null,
        module_bytes integer,
        module bytea,
        tool text,
        arguments jsonb,
        registered_by text not null,
        registered_at timestamptz not null default now(),
        enabled_at timestamptz,
        changed_by text,
        primary key (tenant_id, extension_id),
        check ((kind = 'wasm') = (module is not null)),
        check ((kind = 'wasm') = (module_bytes is not null)),
        check ((kind = 'tool') = (tool is not null))
      );
      select svc_secure_table('extension');
      revoke insert, update on extension from svc_operator;

      -- Of each call of the last minute when it was let in: a window that slides counts calls, not sums.
      create table extension_call (
        tenant_id text not null,
        extension_id text collate "C" not null,
        -- The fingerprint of the passport's key, else the principal.
        taken_by text not null,
        called_at timestamptz not null default clock_timestamp(),
        call_id uuid not null,
        primary key (tenant_id, extension_id, taken_by, called_at, call_id)
      );
      create index extension_call_age on extension_call (called_at);
      select svc_secure_table('extension_call');
      revoke insert, update on extension_call from svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table extension_call, extension');
  }
}
