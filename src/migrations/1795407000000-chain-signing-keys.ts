import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each signing key with the receipt by which an older one named it: COSE_Sign1. Those of before have none yet. */
export class ChainSigningKeys1795407000000 implements MigrationInterface {
  name = 'ChainSigningKeys1795407000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table signing_key add column statement bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table signing_key drop column statement');
  }
}
