import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often the reading of a file was begun: one that takes the process down with it is not read without end. */
export class CountReadingsOfFiles1795939000000 implements MigrationInterface {
  name = 'CountReadingsOfFiles1795939000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table ingest_file add readings int not null default 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table ingest_file drop readings');
  }
}
