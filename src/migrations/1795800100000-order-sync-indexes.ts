import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The collection comes first in the indexes by which versions are listed: a look for a record by its key names none, and
 * would otherwise take one of them for a tenant of which the statistics know nothing, and read all that it has.
 */
export class OrderSyncIndexes1795800100000 implements MigrationInterface {
  name = 'OrderSyncIndexes1795800100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index sync_record_order, sync_record_position;
      create index sync_record_order on sync_record (collection, tenant_id, key, digest);
      create index sync_record_position on sync_record (collection, tenant_id, position);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index sync_record_order, sync_record_position;
      create index sync_record_order on sync_record (tenant_id, collection, key, digest);
      create index sync_record_position on sync_record (tenant_id, collection, position);
    `);
  }
}
