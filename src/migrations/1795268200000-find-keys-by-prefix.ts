import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A client that can send nothing but its key is found by the key's prefix, over all tenants. */
export class FindKeysByPrefix1795268200000 implements MigrationInterface {
  name = 'FindKeysByPrefix1795268200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index api_key_prefix on api_key (prefix) where revoked_at is null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index api_key_prefix');
  }
}
