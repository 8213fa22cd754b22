import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which text of each SQL function the database has, so that a file is applied again when it changed. No tenant_id, for these rows are nobody's, and
 * no rights: the owner alone uses them.
 */
export class RecordSqlFunctions1795400800000 implements MigrationInterface {
  name = 'RecordSqlFunctions1795400800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sql_function (
        name text primary key,
        digest bytea not null check (length(digest) = 32),
        applied_at timestamptz not null default now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sql_function');
  }
}
