import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which watch on the same was there last, in one step however many there have been. */
export class FindWatchesByTarget1795401000000 implements MigrationInterface {
  name = 'FindWatchesByTarget1795401000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index watch_by_target on watch (tenant_id, principal, agent_id, target_type, md5(target_id), position)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index watch_by_target');
  }
}
