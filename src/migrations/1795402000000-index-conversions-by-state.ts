import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversions of all tenants by state, oldest first: for their expiry, the metrics and the operator's list. */
export class IndexConversionsByState1795402000000 implements MigrationInterface {
  name = 'IndexConversionsByState1795402000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index conversion_state on conversion (state, requested_at, conversion_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index conversion_state');
  }
}
