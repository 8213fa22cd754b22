import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a tenant has set for all who call in it, and the notice of a change to every process. */
export class CreateTenantSettings1795903000000 implements MigrationInterface {
  name = 'CreateTenantSettings1795903000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tenant_setting (
        tenant_id text primary key references tenant (tenant_id),
        -- Which sets there are, the program knows.
        tool_set text check (length(tool_set) between 1 and 40),
        changed_by text not null,
        changed_at timestamptz not null default now()
      );
      select svc_secure_table('tenant_setting');
      revoke delete on tenant_setting from svc_app;
      create function svc_announce_setting() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_setting_changed', coalesce(new.tenant_id, old.tenant_id));
        return null;
      end $$;
      create trigger announce_change after insert or update or delete on tenant_setting
        for each row execute function svc_announce_setting();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tenant_setting; drop function svc_announce_setting()');
  }
}
