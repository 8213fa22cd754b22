import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which programs the schema takes: those that know the migration of this number (docs/decisions/0360). A migration that
 * takes away what a program before it uses raises it. No tenant_id, for the row is nobody's; everybody may read it.
 */
export class RecordCompatibility1795924000000 implements MigrationInterface {
  name = 'RecordCompatibility1795924000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table schema_compatibility (
        only_row boolean primary key default true check (only_row),
        oldest_program bigint not null
      );
      insert into schema_compatibility (oldest_program) values (1795924000000);
      grant select on schema_compatibility to svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table schema_compatibility');
  }
}
