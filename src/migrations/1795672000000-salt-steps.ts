import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Digests of steps are salted, so that a receipt confirms no guess. Steps of before have none, and stay valid. */
export class SaltSteps1795672000000 implements MigrationInterface {
  name = 'SaltSteps1795672000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table observe_step add column salt bytea check (length(salt) = 16)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table observe_step drop column salt');
  }
}
