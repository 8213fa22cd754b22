import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A webhook whose secret is rotated twice within a day is signed with the first as well, for as long as was said. */
export class KeepEarlierSecrets1795938100000 implements MigrationInterface {
  name = 'KeepEarlierSecrets1795938100000';

  async up(runner: QueryRunner): Promise<void> {
    // Before previous_secret: [{"secret", "until"}], sealed likewise.
    await runner.query(`alter table webhook_endpoint add column earlier_secrets jsonb not null default '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoint drop column earlier_secrets');
  }
}
