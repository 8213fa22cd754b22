import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose an item was when it moved: whoever gives it away in review still cannot end it alone. */
export class RecordAssignees1795431200000 implements MigrationInterface {
  name = 'RecordAssignees1795431200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table work_transition add column assignee_passport text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table work_transition drop column assignee_passport');
  }
}
