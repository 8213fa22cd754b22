import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of a pass over a whole collection the tree of what was read so far, against which the next page is held. */
export class KeepSyncTrees1795820000000 implements MigrationInterface {
  name = 'KeepSyncTrees1795820000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table sync_exchange_part add column tree text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table sync_exchange_part drop column tree');
  }
}
