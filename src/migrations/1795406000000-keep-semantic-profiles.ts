import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the passages of a version get vectors is what its sender asked for; all before got them. */
export class KeepSemanticProfiles1795406000000 implements MigrationInterface {
  name = 'KeepSemanticProfiles1795406000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table document_version add column semantic_profile text not null default 'default'
        constraint document_version_semantic_profile_check check (semantic_profile in ('default', 'lexical', 'hybrid'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table document_version drop column semantic_profile');
  }
}
