import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which packages of the studio library a tenant has installed: of each, and of each project, the latest. */
export class CreateStudioInstalls1795850100000 implements MigrationInterface {
  name = 'CreateStudioInstalls1795850100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table studio_install (
        tenant_id text not null,
        package_id text collate "C" not null,
        -- Where its layers are; empty for a package without any.
        project_id text collate "C" not null,
        version text not null,
        digest text not null,
        -- By 'type:name', the digest of each item as it was written.
        items jsonb not null,
        receipt_id uuid not null,
        installed_by text not null,
        installed_at timestamptz not null default now(),
        primary key (tenant_id, package_id, project_id)
      );
      select svc_secure_table('studio_install');
      revoke insert, update on studio_install from svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table studio_install');
  }
}
