import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an erasure that ended by an error is tried again. */
export class SpaceAttemptsOfErasures1795937000000 implements MigrationInterface {
  name = 'SpaceAttemptsOfErasures1795937000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table erasure_request add due_at timestamptz not null default now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table erasure_request drop due_at');
  }
}
