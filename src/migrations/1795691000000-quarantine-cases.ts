import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An incident sets cases aside, as it does documents and facts (0184). */
export class QuarantineCases1795691000000 implements MigrationInterface {
  name = 'QuarantineCases1795691000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table memory_case add column quarantined boolean not null default false;
      grant update (quarantined) on memory_case to svc_app;
      create index memory_case_source on memory_case (tenant_id, source_receipt) where source_receipt is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index memory_case_source;
      alter table memory_case drop column quarantined;
    `);
  }
}
