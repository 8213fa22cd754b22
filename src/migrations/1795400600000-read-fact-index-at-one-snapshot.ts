import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A volatile function takes a new snapshot for each statement, so that a flush between two of them showed the new segments with the old position:
 * their facts were found twice. A volatile one reads all at the snapshot of its caller (PostgreSQL, Function Volatility Categories).
 */
export class ReadFactIndexAtOneSnapshot1795400600000 implements MigrationInterface {
  name = 'ReadFactIndexAtOneSnapshot1795400600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter function svc_fact_index(text, bigint, int8multirange, int) stable');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter function svc_fact_index(text, bigint, int8multirange, int) volatile');
  }
}
